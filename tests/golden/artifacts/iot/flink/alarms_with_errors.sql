CREATE TEMPORARY TABLE `overheating_alarms` (
  `device_id` STRING NOT NULL,
  `alarm_start` TIMESTAMP(3),
  `alarm_end` TIMESTAMP(3),
  `last_temperature` DOUBLE
) WITH (
  'connector' = 'kafka',
  'topic' = 'plant7.alarms.overheating',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json',
  'properties.group.id' = 'streamt.iot.default.alarms_with_errors',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `machine_errors` (
  `device_id` STRING,
  `error_code` STRING,
  `operator_badge` STRING,
  `changed_at` TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'plant7.machines.errors',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json',
  'properties.group.id' = 'streamt.iot.default.alarms_with_errors',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `alarms_with_errors` (
  `device_id` STRING,
  `alarm_start` TIMESTAMP(3),
  `last_temperature` DOUBLE,
  `error_code` STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'plant7.alarms.with-errors',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json'
);

INSERT INTO `alarms_with_errors` (`device_id`, `alarm_start`, `last_temperature`, `error_code`)
SELECT `device_id`, `alarm_start`, `last_temperature`, `error_code` FROM (
SELECT a.device_id, a.alarm_start, a.last_temperature, e.error_code
FROM `overheating_alarms` AS a
JOIN `machine_errors` AS e
  ON a.device_id = e.device_id
  AND e.changed_at BETWEEN a.alarm_start - INTERVAL '15' MINUTE AND a.alarm_start
) AS `q`;
