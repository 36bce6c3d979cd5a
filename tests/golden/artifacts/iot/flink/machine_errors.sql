CREATE TEMPORARY TABLE `machine_states` (
  `device_id` STRING,
  `state` STRING,
  `operator_badge` STRING,
  `error_codes` STRING,
  `changed_at` TIMESTAMP_LTZ(3),
  WATERMARK FOR `changed_at` AS `changed_at` - INTERVAL '0.001' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'plant7.machines.states',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json',
  'properties.group.id' = 'streamt.iot.default.machine_errors',
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
  'format' = 'json'
);

INSERT INTO `machine_errors` (`device_id`, `error_code`, `operator_badge`, `changed_at`)
SELECT `device_id`, `error_code`, `operator_badge`, `changed_at` FROM (
SELECT s.device_id, e.error_code, s.operator_badge, s.changed_at
FROM `machine_states` AS s
CROSS JOIN LATERAL TABLE(SPLIT_CODES(s.error_codes, ',')) AS e(error_code)
) AS `q`;
