"""What the page's catalogs hold."""

from typing import Any

from tests.page.catalog_server import KAFKA, WAREHOUSE, CatalogServer, facet, job_event

HOSTILE = "<img src=x onerror=alert(1)>"


def fill_shop(server: CatalogServer) -> dict[str, int]:
    """Fill a small chain from topics to tables, with columns, a description, an outside asset and a retired edge.

    Returns:
        The numbers of the containers, by name.
    """
    kafka = server.datastore("kafka", "broker.example.com", 9092)
    warehouse = server.datastore("postgres", "warehouse.example.com", 5432, database="shop", schema="public")
    topics: list[dict[str, Any]] = [
        {
            "name": "orders",
            "type": "topic",
            "fields": [{"name": "id", "type": "STRING"}, {"name": "amount", "type": "INT"}],
        },
        {"name": "orders_clean", "type": "topic", "fields": [{"name": "order_id", "type": "STRING"}]},
    ]
    tables: list[dict[str, Any]] = [
        {"name": "fct_orders", "fields": [{"name": "order_id", "type": "text"}, {"name": "total", "type": "bigint"}]},
        {"name": "dim_customers", "description": "Everybody who ever ordered."},
        {"name": f"{HOSTILE}\u202egnp", "description": HOSTILE},
    ]
    numbers = [*server.register(kafka, topics), *server.register(warehouse, tables)]
    names = ["orders", "orders_clean", "fct_orders", "dim_customers", "hostile"]
    by_name = dict(zip(names, numbers, strict=True))
    clean = _dataset(KAFKA, "orders_clean", columns={"order_id": [(KAFKA, "orders", "id")]})
    fact = _dataset(WAREHOUSE, "shop.public.fct_orders", columns={"order_id": [(KAFKA, "orders_clean", "order_id")]})
    fact["facets"]["documentation"] = facet(description="One row for each order.")
    events = [
        job_event("clean_orders", [(KAFKA, "orders")], [clean]),
        job_event("load_orders", [(KAFKA, "orders"), (KAFKA, "orders_clean")], [fact], at="2026-01-04T08:00:00Z"),
        job_event("load_orders", [(KAFKA, "orders_clean"), ("s3://raw", "customers.csv")], [fact]),
        job_event("hostile<b>job</b>", [(KAFKA, "orders")], [_dataset(WAREHOUSE, f'shop.public."{HOSTILE}\u202egnp"')]),
    ]
    answer = server.ask("POST", "lineage/batch", events)
    assert answer["status"] == "success", answer
    return by_name


def _dataset(namespace: str, name: str, columns: dict[str, list[tuple[str, str, str]]] | None = None) -> dict[str, Any]:
    facets: dict[str, Any] = {}
    if columns:
        fields = {
            field: {
                "inputFields": [
                    {
                        "namespace": namespace,
                        "name": name,
                        "field": source,
                        "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}],
                    }
                    for namespace, name, source in sources
                ]
            }
            for field, sources in columns.items()
        }
        facets["columnLineage"] = facet(fields=fields)
    return {"namespace": namespace, "name": name, "facets": facets}


def fill_layers(server: CatalogServer, layers: int, width: int, edges: int) -> tuple[int, int]:
    """Fill one table and layers of tables that come from it, each from some of the layer before.

    Returns:
        The number of the first table, and how many tables there are.
    """
    warehouse = server.datastore("postgres", "big.example.com", 5432, database="big", schema="public")
    count = 1 + layers * width
    numbers = server.register(warehouse, [{"name": f"table_{index:03}"} for index in range(count)])
    inputs = {index: {max(0, index - width)} for index in range(1, count)}
    for number in range(edges - len(inputs)):
        target = 1 + width + number * 7 % (count - 1 - width)
        first = (target - 1) // width * width - width + 1
        inputs[target].add(first + number * 11 % width)
    namespace = "postgres://big.example.com:5432"
    events = [
        job_event(
            f"job_{target:03}",
            [(namespace, f"big.public.table_{source:03}") for source in sorted(sources)],
            [{"namespace": namespace, "name": f"big.public.table_{target:03}"}],
        )
        for target, sources in inputs.items()
    ]
    for start in range(0, len(events), 100):
        assert server.ask("POST", "lineage/batch", events[start : start + 100])["status"] == "success"
    return numbers[0], count
