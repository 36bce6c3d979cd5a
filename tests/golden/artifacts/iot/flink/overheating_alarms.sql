CREATE TEMPORARY TABLE `temperature_by_minute` (
  `device_id` STRING NOT NULL,
  `window_start` TIMESTAMP(3),
  `window_end` TIMESTAMP(3),
  `mean_temperature` DOUBLE,
  `highest_temperature` DOUBLE,
  WATERMARK FOR `window_end` AS `window_end` - INTERVAL '0.001' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'plant7.metrics.temperature-1m',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'key.format' = 'raw',
  'key.fields' = 'device_id',
  'value.format' = 'json',
  'properties.group.id' = 'streamt.iot.default.overheating_alarms',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `overheating_alarms` (
  `device_id` STRING NOT NULL,
  `alarm_start` TIMESTAMP(3),
  `alarm_end` TIMESTAMP(3),
  `last_temperature` DOUBLE
) WITH (
  'connector' = 'kafka',
  'topic' = 'plant7.alarms.overheating',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json'
);

INSERT INTO `overheating_alarms` (`device_id`, `alarm_start`, `alarm_end`, `last_temperature`)
SELECT `device_id`, `alarm_start`, `alarm_end`, `last_temperature` FROM (
SELECT device_id, alarm_start, alarm_end, last_temperature
FROM `temperature_by_minute`
MATCH_RECOGNIZE (
  PARTITION BY device_id
  ORDER BY window_end
  MEASURES
    FIRST(RISE.window_start) AS alarm_start,
    LAST(RISE.window_end) AS alarm_end,
    LAST(RISE.mean_temperature) AS last_temperature
  ONE ROW PER MATCH
  AFTER MATCH SKIP PAST LAST ROW
  PATTERN (RISE{3}) WITHIN INTERVAL '5' MINUTE
  DEFINE
    RISE AS RISE.mean_temperature > 80
      AND (LAST(RISE.mean_temperature, 1) IS NULL
        OR RISE.mean_temperature > LAST(RISE.mean_temperature, 1))
) AS alarms
) AS `q`;
