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
  'properties.group.id' = 'streamt.ecommerce.dev.order_lines',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `order_lines` (
  `order_id` STRING,
  `sku` STRING,
  `quantity` INT,
  `unit_price` DECIMAL(10, 2),
  `updated_at` TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'order_lines',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json'
);

INSERT INTO `order_lines` (`order_id`, `sku`, `quantity`, `unit_price`, `updated_at`)
SELECT `order_id`, `sku`, `quantity`, `unit_price`, `updated_at` FROM (
SELECT o.order_id, line.sku, line.quantity, line.unit_price, o.updated_at
FROM `order_events` AS o
CROSS JOIN UNNEST(o.lines) AS line (sku, quantity, unit_price)
) AS `q`;
