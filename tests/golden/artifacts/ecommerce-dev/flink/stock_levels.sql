CREATE TEMPORARY TABLE `stock_movements` (
  `sku` STRING,
  `warehouse` STRING,
  `change` INT,
  `moved_at` TIMESTAMP_LTZ(3),
  WATERMARK FOR `moved_at` AS `moved_at` - INTERVAL '0.001' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'shop.warehouse.stock',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'format' = 'json',
  'properties.group.id' = 'streamt.ecommerce.dev.stock_levels',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `stock_levels` (
  `sku` STRING NOT NULL,
  `warehouse` STRING NOT NULL,
  `on_hand` INT,
  `last_moved_at` TIMESTAMP_LTZ(3),
  PRIMARY KEY (`sku`, `warehouse`) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'shop.stock.levels',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers")',
  'key.format' = 'json',
  'value.format' = 'json'
);

INSERT INTO `stock_levels` (`sku`, `warehouse`, `on_hand`, `last_moved_at`)
SELECT `sku`, `warehouse`, `on_hand`, `last_moved_at` FROM (
SELECT sku, warehouse, SUM(change) AS on_hand, MAX(moved_at) AS last_moved_at
FROM `stock_movements`
GROUP BY sku, warehouse
) AS `q`;
