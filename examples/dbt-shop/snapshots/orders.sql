{% snapshot orders_snapshot %}
{{ config(target_schema=target.schema, unique_key='id', strategy='check', check_cols=['status']) }}
select * from {{ ref('raw_orders') }}
{% endsnapshot %}
