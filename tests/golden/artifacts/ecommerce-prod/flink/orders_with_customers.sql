CREATE TEMPORARY TABLE `paid_orders` (
  `order_id` STRING,
  `customer_id` STRING,
  `status` STRING,
  `total` DECIMAL(10, 2),
  `currency` CHAR(3),
  `updated_at` TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'paid_orders',
  'properties.bootstrap.servers' = 'gateway.shop.example.com:6969',
  'properties.sasl.jaas.config' = ':secret("/runtime/kafka/sasl_jaas_config")',
  'properties.sasl.mechanism' = 'SCRAM-SHA-512',
  'properties.security.protocol' = 'SASL_SSL',
  'properties.ssl.truststore.location' = '/etc/ssl/certs/shop-ca.pem',
  'properties.ssl.truststore.type' = 'PEM',
  'format' = 'json',
  'properties.group.id' = 'streamt.ecommerce.prod.orders_with_customers',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `customer_profiles` (
  `customer_id` STRING,
  `country` CHAR(2),
  `segment` STRING,
  `updated_at` TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'customer_profiles',
  'properties.bootstrap.servers' = 'gateway.shop.example.com:6969',
  'properties.sasl.jaas.config' = ':secret("/runtime/kafka/sasl_jaas_config")',
  'properties.sasl.mechanism' = 'SCRAM-SHA-512',
  'properties.security.protocol' = 'SASL_SSL',
  'properties.ssl.truststore.location' = '/etc/ssl/certs/shop-ca.pem',
  'properties.ssl.truststore.type' = 'PEM',
  'format' = 'json',
  'properties.group.id' = 'streamt.ecommerce.prod.orders_with_customers',
  'scan.startup.mode' = 'earliest-offset'
);

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
  'value.format' = 'json'
);

INSERT INTO `orders_with_customers` (`order_id`, `status`, `total`, `currency`, `country`, `segment`, `updated_at`)
SELECT `order_id`, `status`, `total`, `currency`, `country`, `segment`, `updated_at` FROM (
SELECT o.order_id, o.status, o.total, o.currency, c.country, c.segment, o.updated_at
FROM `paid_orders` AS o
LEFT JOIN `customer_profiles` AS c ON o.customer_id = c.customer_id
) AS `q`;
