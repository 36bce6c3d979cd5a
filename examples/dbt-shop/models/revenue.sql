{{ config(alias='Revenue_by_customer' if target.type == 'snowflake' else 'Revenue.by.customer') }}
select c.name, sum(o.amount) as revenue
from {{ ref('large') }} o join {{ ref('raw_customers') }} c on c.id = o.customer_id
group by 1
