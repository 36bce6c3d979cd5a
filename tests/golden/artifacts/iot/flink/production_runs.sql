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
  'properties.group.id' = 'streamt.iot.default.production_runs',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `production_runs` (
  `device_id` STRING,
  `run_start` TIMESTAMP(3),
  `run_end` TIMESTAMP(3),
  `readings` BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'plant7.production.runs',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json'
);

INSERT INTO `production_runs` (`device_id`, `run_start`, `run_end`, `readings`)
SELECT `device_id`, `run_start`, `run_end`, `readings` FROM (
SELECT device_id, window_start AS run_start, window_end AS run_end, COUNT(*) AS readings
FROM TABLE(
  SESSION(
    TABLE `sensor_readings` PARTITION BY device_id,
    DESCRIPTOR(event_time),
    INTERVAL '5' MINUTES))
GROUP BY device_id, window_start, window_end
) AS `q`;
