CREATE TEMPORARY TABLE `customers` (
  `customer_id` STRING NOT NULL,
  `email` STRING,
  `phone` STRING,
  `country` CHAR(2),
  `segment` STRING,
  `updated_at` TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'shop.crm.customers',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json',
  'properties.group.id' = 'streamt.ecommerce.dev.customer_profiles',
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
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json'
);

INSERT INTO `customer_profiles` (`customer_id`, `country`, `segment`, `updated_at`)
SELECT `customer_id`, `country`, `segment`, `updated_at` FROM (
SELECT
  customer_id,
  country,
  segment,
  updated_at
FROM `customers`
) AS `q`;
