"""Which tests run, what they read, and what is tested."""

from pathlib import Path
from typing import Any

import pytest

from streamt.diagnostics import Code, StreamtError
from streamt.project.language import Document
from streamt.testing.selection import Covered, consumed_topics, coverage, select_tests
from tests.testing.projects import load

TEXT = """\
sources:
  - {name: orders, topic: orders.v1}
  - {name: customers, topic: customers.v1}
models:
  - {name: paid, sql: 'SELECT * FROM {{ source("orders") }} WHERE x > 1'}
tests:
  - {name: shape, source: orders, type: schema}
  - name: records
    source: orders
    type: sample
    assertions:
      - foreign_key: {column: customer, ref_model: customers, ref_key: id}
  - {name: runs, model: paid, type: continuous}
  - {name: paid_records, model: paid, type: sample, assertions: [{not_null: {columns: [id]}}]}
"""


@pytest.fixture
def document(tmp_path: Path) -> Document:
    return load(tmp_path, TEXT)[0].document


@pytest.mark.parametrize(
    ("restrictions", "names"),
    [
        ({}, ["shape", "records", "runs", "paid_records"]),
        ({"model": "paid"}, ["runs", "paid_records"]),
        ({"model": "orders"}, ["shape", "records"]),
        ({"kind": "sample"}, ["records", "paid_records"]),
        ({"name": "runs"}, ["runs"]),
        ({"model": "paid", "kind": "sample"}, ["paid_records"]),
        ({"model": "customers"}, []),
        ({"name": "runs", "kind": "sample"}, []),
    ],
)
def test_each_restriction_must_hold(document: Document, restrictions: dict[str, Any], names: list[str]) -> None:
    assert [each.test.name for each in select_tests(document, **restrictions)] == names


def test_selected_tests_keep_their_place_in_the_project(document: Document) -> None:
    (selected,) = select_tests(document, name="runs")
    assert (str(selected.location), selected.target) == ("/tests/2", "paid")


def test_every_unknown_name_is_an_error_with_the_nearest_one(document: Document) -> None:
    with pytest.raises(StreamtError) as caught:
        select_tests(document, model="order", name="zzz")
    found = [(each.code, each.location, each.message, each.hint) for each in caught.value.placed()]
    assert found == [
        (Code.USAGE_ERROR, "model", "unknown model or source `order`", "did you mean `orders`?"),
        (Code.USAGE_ERROR, "name", "unknown test `zzz`", None),
    ]


@pytest.mark.parametrize(
    ("restrictions", "topics"),
    [
        ({}, ("customers", "orders", "paid")),
        ({"model": "paid"}, ("paid",)),
        ({"kind": "schema"}, ()),
        ({"kind": "continuous"}, ()),
    ],
)
def test_only_samples_and_their_foreign_keys_read_topics(
    document: Document, restrictions: dict[str, Any], topics: tuple[str, ...]
) -> None:
    assert consumed_topics(select_tests(document, **restrictions)) == topics


def test_coverage_lists_every_source_and_model_in_declared_order(document: Document) -> None:
    assert coverage(document) == (
        Covered("source", "orders", ("shape",), ("records",), ()),
        Covered("source", "customers", (), (), ()),
        Covered("model", "paid", (), ("paid_records",), ("runs",)),
    )
    assert [each.is_tested for each in coverage(document)] == [True, False, True]
