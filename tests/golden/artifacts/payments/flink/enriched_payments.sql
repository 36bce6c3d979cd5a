CREATE TEMPORARY TABLE `approved_payments` (
  `payment_id` STRING NOT NULL,
  `merchant_id` STRING,
  `card_token` STRING,
  `amount` DECIMAL(12, 2),
  `currency` CHAR(3),
  `country` CHAR(2),
  `authorized_at` TIMESTAMP_LTZ(3),
  WATERMARK FOR `authorized_at` AS `authorized_at` - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'payments.approved.v1',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers_internal")',
  'key.format' = 'raw',
  'key.fields' = 'payment_id',
  'value.format' = 'json',
  'properties.group.id' = 'streamt.payments.default.enriched_payments',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `merchants` (
  `merchant_id` STRING NOT NULL,
  `category` STRING,
  `updated_at` TIMESTAMP_LTZ(3),
  WATERMARK FOR `updated_at` AS `updated_at` - INTERVAL '0.001' SECOND,
  PRIMARY KEY (`merchant_id`) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'merchants.directory.v3',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers_internal")',
  'key.format' = 'raw',
  'value.format' = 'json',
  'properties.group.id' = 'streamt.payments.default.enriched_payments'
);

CREATE TEMPORARY TABLE `enriched_payments` (
  `payment_id` STRING,
  `amount` DECIMAL(12, 2),
  `currency` CHAR(3),
  `country` CHAR(2),
  `merchant_category` STRING,
  `authorized_at` TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'payments.enriched.v1',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers_internal")',
  'format' = 'json'
);

INSERT INTO `enriched_payments` (`payment_id`, `amount`, `currency`, `country`, `merchant_category`, `authorized_at`)
SELECT `payment_id`, `amount`, `currency`, `country`, `merchant_category`, `authorized_at` FROM (
SELECT p.payment_id, p.amount, p.currency, p.country, m.category AS merchant_category, p.authorized_at
FROM `approved_payments` AS p
JOIN `merchants` FOR SYSTEM_TIME AS OF p.authorized_at AS m
  ON p.merchant_id = m.merchant_id
) AS `q`;
