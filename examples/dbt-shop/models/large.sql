{{ config(materialized='ephemeral') }}
select * from {{ ref('paid') }} where amount > 1
