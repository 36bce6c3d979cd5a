CREATE TEMPORARY TABLE `sensor_readings` (
  `device_id` STRING,
  `metric` STRING,
  `reading` DOUBLE,
  `location` ROW<hall STRING, line INT, `position` ROW<x DOUBLE, y DOUBLE>>,
  `event_time` TIMESTAMP_LTZ(3),
  `received_at` AS PROCTIME(),
  WATERMARK FOR `event_time` AS `event_time` - INTERVAL '15' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'plant7.sensors.readings',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json',
  'properties.group.id' = 'streamt.iot.default.vibration_trend',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `vibration_trend` (
  `device_id` STRING,
  `window_start` TIMESTAMP(3),
  `window_end` TIMESTAMP(3),
  `spread` DOUBLE,
  `readings` BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'plant7.metrics.vibration-trend',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json'
);

INSERT INTO `vibration_trend` (`device_id`, `window_start`, `window_end`, `spread`, `readings`)
SELECT `device_id`, `window_start`, `window_end`, `spread`, `readings` FROM (
SELECT device_id, window_start, window_end, STDDEV_POP(reading) AS spread, COUNT(*) AS readings
FROM HOP(
  DATA => TABLE `sensor_readings`,
  TIMECOL => DESCRIPTOR(event_time),
  SLIDE => INTERVAL '1' MINUTE,
  SIZE => INTERVAL '10' MINUTES)
WHERE metric = 'vibration'
GROUP BY device_id, window_start, window_end
) AS `q`;
