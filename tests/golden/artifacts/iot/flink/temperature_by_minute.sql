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
  'properties.group.id' = 'streamt.iot.default.temperature_by_minute',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `temperature_by_minute` (
  `device_id` STRING NOT NULL,
  `window_start` TIMESTAMP(3),
  `window_end` TIMESTAMP(3),
  `mean_temperature` DOUBLE,
  `highest_temperature` DOUBLE
) WITH (
  'connector' = 'kafka',
  'topic' = 'plant7.metrics.temperature-1m',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'key.format' = 'raw',
  'key.fields' = 'device_id',
  'value.format' = 'json'
);

INSERT INTO `temperature_by_minute` (`device_id`, `window_start`, `window_end`, `mean_temperature`, `highest_temperature`)
SELECT `device_id`, `window_start`, `window_end`, `mean_temperature`, `highest_temperature` FROM (
SELECT
  device_id,
  window_start,
  window_end,
  AVG(reading) AS mean_temperature,
  MAX(reading) AS highest_temperature
FROM TABLE(
  TUMBLE(TABLE `sensor_readings`, DESCRIPTOR(event_time), INTERVAL '1' MINUTE))
WHERE metric = 'temperature'
GROUP BY device_id, window_start, window_end
) AS `q`;
