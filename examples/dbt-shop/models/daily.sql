{{ config(materialized='incremental', unique_key='name') }}
select * from {{ ref('revenue') }}
