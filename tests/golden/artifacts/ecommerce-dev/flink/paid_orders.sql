CREATE TEMPORARY TABLE `order_events` (
  `order_id` STRING NOT NULL,
  `customer_id` STRING,
  `status` STRING,
  `total` DECIMAL(10, 2),
  `currency` CHAR(3),
  `lines` ARRAY<ROW<sku STRING, quantity INT, unit_price DECIMAL(10, 2)>>,
  `updated_at` TIMESTAMP_LTZ(3),
  WATERMARK FOR `updated_at` AS `updated_at` - INTERVAL '30' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'shop.checkout.orders',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json',
  'properties.group.id' = 'streamt.ecommerce.dev.paid_orders',
  'scan.startup.mode' = 'earliest-offset'
);

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
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json'
);

INSERT INTO `paid_orders` (`order_id`, `customer_id`, `status`, `total`, `currency`, `updated_at`)
SELECT `order_id`, `customer_id`, `status`, `total`, `currency`, `updated_at` FROM (
SELECT order_id, customer_id, status, total, currency, updated_at
FROM `order_events`
WHERE status <> 'PLACED' AND status <> 'CANCELLED'
) AS `q`;
