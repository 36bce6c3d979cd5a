CREATE TEMPORARY TABLE `order_lines` (
  `order_id` STRING,
  `sku` STRING,
  `quantity` INT,
  `unit_price` DECIMAL(10, 2),
  `updated_at` TIMESTAMP_LTZ(3),
  WATERMARK FOR `updated_at` AS `updated_at` - INTERVAL '30' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'order_lines',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'properties.sasl.jaas.config' = ':secret("/runtime/kafka/sasl_jaas_config")',
  'properties.sasl.mechanism' = 'SCRAM-SHA-512',
  'properties.security.protocol' = 'SASL_SSL',
  'properties.ssl.truststore.location' = '/etc/ssl/certs/shop-ca.pem',
  'properties.ssl.truststore.type' = 'PEM',
  'format' = 'json',
  'properties.group.id' = 'streamt.ecommerce.prod.best_sellers',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `best_sellers` (
  `window_start` TIMESTAMP(3),
  `sku` STRING,
  `sold` BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'shop.merchandising.best-sellers',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'properties.sasl.jaas.config' = ':secret("/runtime/kafka/sasl_jaas_config")',
  'properties.sasl.mechanism' = 'SCRAM-SHA-512',
  'properties.security.protocol' = 'SASL_SSL',
  'properties.ssl.truststore.location' = '/etc/ssl/certs/shop-ca.pem',
  'properties.ssl.truststore.type' = 'PEM',
  'format' = 'json'
);

INSERT INTO `best_sellers` (`window_start`, `sku`, `sold`)
SELECT `window_start`, `sku`, `sold` FROM (
SELECT window_start, sku, sold
FROM (
  SELECT window_start, sku, sold,
    ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY sold DESC) AS place
  FROM (
    SELECT window_start, window_end, sku, SUM(quantity) AS sold
    FROM TABLE(TUMBLE(TABLE `order_lines`, DESCRIPTOR(updated_at), INTERVAL '1' HOUR))
    GROUP BY window_start, window_end, sku
  )
)
WHERE place <= 10
) AS `q`;
