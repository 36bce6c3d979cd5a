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
  'properties.group.id' = 'streamt.payments.default.merchant_balances',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `latest_refunds` (
  `refund_id` STRING NOT NULL,
  `payment_id` STRING,
  `merchant_id` STRING,
  `amount` DECIMAL(12, 2),
  `currency` CHAR(3),
  `changed_at` TIMESTAMP_LTZ(3),
  PRIMARY KEY (`refund_id`) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'payments.refunds.v1',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers_internal")',
  'key.format' = 'raw',
  'value.format' = 'json',
  'properties.group.id' = 'streamt.payments.default.merchant_balances'
);

CREATE TEMPORARY TABLE `merchant_balances` (
  `merchant_id` STRING NOT NULL,
  `currency` CHAR(3) NOT NULL,
  `balance` DECIMAL(38, 2),
  `movements` BIGINT,
  PRIMARY KEY (`merchant_id`, `currency`) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'payments.balances.v1',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers_internal")',
  'key.format' = 'json',
  'value.format' = 'json'
);

INSERT INTO `merchant_balances` (`merchant_id`, `currency`, `balance`, `movements`)
SELECT `merchant_id`, `currency`, `balance`, `movements` FROM (
SELECT merchant_id, currency, SUM(amount) AS balance, COUNT(*) AS movements
FROM (
  SELECT merchant_id, currency, amount FROM `approved_payments`
  UNION ALL
  SELECT merchant_id, currency, -amount FROM `latest_refunds`
)
GROUP BY merchant_id, currency
) AS `q`;
