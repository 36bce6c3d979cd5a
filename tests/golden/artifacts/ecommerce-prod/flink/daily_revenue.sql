CREATE TEMPORARY TABLE `orders_with_customers` (
  `order_id` STRING NOT NULL,
  `status` STRING,
  `total` DECIMAL(10, 2),
  `currency` CHAR(3),
  `country` CHAR(2),
  `segment` STRING,
  `updated_at` TIMESTAMP_LTZ(3),
  PRIMARY KEY (`order_id`) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'shop.orders.with-customers.v2',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'properties.sasl.jaas.config' = ':secret("/runtime/kafka/sasl_jaas_config")',
  'properties.sasl.mechanism' = 'SCRAM-SHA-512',
  'properties.security.protocol' = 'SASL_SSL',
  'properties.ssl.truststore.location' = '/etc/ssl/certs/shop-ca.pem',
  'properties.ssl.truststore.type' = 'PEM',
  'key.format' = 'raw',
  'value.format' = 'json',
  'properties.group.id' = 'streamt.ecommerce.prod.daily_revenue'
);

CREATE TEMPORARY TABLE `daily_revenue` (
  `revenue_day` DATE NOT NULL,
  `country` CHAR(2) NOT NULL,
  `currency` CHAR(3) NOT NULL,
  `revenue` DECIMAL(38, 2),
  `orders` BIGINT,
  PRIMARY KEY (`revenue_day`, `country`, `currency`) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'shop.finance.daily-revenue',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'properties.sasl.jaas.config' = ':secret("/runtime/kafka/sasl_jaas_config")',
  'properties.sasl.mechanism' = 'SCRAM-SHA-512',
  'properties.security.protocol' = 'SASL_SSL',
  'properties.ssl.truststore.location' = '/etc/ssl/certs/shop-ca.pem',
  'properties.ssl.truststore.type' = 'PEM',
  'key.format' = 'json',
  'value.format' = 'json'
);

INSERT INTO `daily_revenue` (`revenue_day`, `country`, `currency`, `revenue`, `orders`)
SELECT `revenue_day`, `country`, `currency`, `revenue`, `orders` FROM (
SELECT CAST(updated_at AS DATE) AS revenue_day, country, currency, SUM(total) AS revenue, COUNT(*) AS orders
FROM `orders_with_customers`
WHERE status = 'PAID'
GROUP BY CAST(updated_at AS DATE), country, currency
) AS `q`;
