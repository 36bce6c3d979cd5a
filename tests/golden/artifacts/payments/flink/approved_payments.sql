CREATE TEMPORARY TABLE `authorizations` (
  `payment_id` STRING NOT NULL,
  `merchant_id` STRING,
  `card_token` STRING,
  `amount` DECIMAL(12, 2),
  `currency` CHAR(3),
  `country` CHAR(2),
  `status` STRING,
  `authorized_at` TIMESTAMP_LTZ(3),
  WATERMARK FOR `authorized_at` AS `authorized_at` - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'cards.authorizations.v2',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers_internal")',
  'format' = 'json',
  'properties.group.id' = 'streamt.payments.default.approved_payments',
  'scan.startup.mode' = 'earliest-offset'
);

CREATE TEMPORARY TABLE `approved_payments` (
  `payment_id` STRING NOT NULL,
  `merchant_id` STRING,
  `card_token` STRING,
  `amount` DECIMAL(12, 2),
  `currency` CHAR(3),
  `country` CHAR(2),
  `authorized_at` TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'payments.approved.v1',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers_internal")',
  'key.format' = 'raw',
  'key.fields' = 'payment_id',
  'value.format' = 'json'
);

INSERT INTO `approved_payments` (`payment_id`, `merchant_id`, `card_token`, `amount`, `currency`, `country`, `authorized_at`)
SELECT `payment_id`, `merchant_id`, `card_token`, `amount`, `currency`, `country`, `authorized_at` FROM (
SELECT payment_id, merchant_id, card_token, amount, currency, country, authorized_at
FROM `authorizations`
WHERE status = 'APPROVED'
) AS `q`;
