{{ config(materialized='view') }}
-- depends_on: {{ ref('raw_orders') }}
select * from {{ source('raw', 'orders') }}
