CREATE TEMPORARY TABLE `refunds` (
  `refund_id` STRING,
  `payment_id` STRING,
  `merchant_id` STRING,
  `amount` DECIMAL(12, 2),
  `currency` CHAR(3),
  `changed_at` TIMESTAMP_LTZ(3),
  WATERMARK FOR `changed_at` AS `changed_at` - INTERVAL '10' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'cards.refunds.v1',
  'properties.bootstrap.servers' = ':secret("/runtime/kafka/bootstrap_servers_internal")',
  'format' = 'json',
  'properties.group.id' = 'streamt.payments.default.latest_refunds',
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
  'value.format' = 'json'
);

INSERT INTO `latest_refunds` (`refund_id`, `payment_id`, `merchant_id`, `amount`, `currency`, `changed_at`)
SELECT `refund_id`, `payment_id`, `merchant_id`, `amount`, `currency`, `changed_at` FROM (
SELECT refund_id, payment_id, merchant_id, amount, currency, changed_at
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY refund_id ORDER BY changed_at DESC) AS row_num
  FROM `refunds`
)
WHERE row_num = 1
) AS `q`;
