"""What real dbt releases wrote down -> datasets and events."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from streamt.diagnostics import Option, StreamtError
from streamt.emitter import DatasetRef, Engine, Run
from streamt.emitter.lifecycle import Context, identity_of, to_event
from streamt.emitter.providers.dbt import (
    OUTCOMES,
    Invocation,
    Results,
    design_time,
    is_of_this_run,
    moment,
    read_results,
    where_of,
)
from streamt.emitter.providers.dbt_adapters import ADAPTERS, PROFILE_KEYS, adapter_named
from streamt.emitter.providers.dbt_manifest import Manifest, Node, read_manifest
from streamt.emitter.providers.dbt_profile import Profile, ProfileError, read_profile
from streamt.openlineage.naming import SYSTEMS
from streamt.openlineage.validation import Checker
from tests.emitter.dbt.capture import CAPTURED, PROJECT

MANIFESTS = sorted(CAPTURED.glob("*.manifest.json"))
RUN = Run(job="dbt.shop.dev", run_id="x", created_at=datetime(2026, 1, 1, tzinfo=UTC))
PARTS = {
    "postgres": {"host": "h"},
    "duckdb": {"path": "/x/shop.duckdb"},
    "snowflake": {"account": "MyOrg-Shop"},
    "bigquery": {},
}


def profile(adapter: str, **values: str) -> Profile:
    return Profile("dev", adapter, values or PARTS.get(adapter, {}), folder=Path("/project"))


def invocation(manifest: Manifest, **more: Any) -> Invocation:
    notes: list[str] = []
    where = where_of(manifest, more.pop("profile", None) or profile(manifest.adapter), None, notes.append)
    assert notes == []
    return Invocation(RUN, manifest, where, **more)


def made(nodes: Mapping[str, Mapping[str, Any]], adapter: str = "postgres", **metadata: Any) -> Manifest:
    return Manifest(
        {"adapter_type": adapter, **metadata},
        {
            key: Node(key, str(values.get("resource_type", key.partition(".")[0])), values)
            for key, values in nodes.items()
        },
    )


def names(references: tuple[DatasetRef, ...]) -> list[str]:
    return [identity_of(reference).name for reference in references]


def lineage(manifest: Manifest, unique_id: str) -> tuple[list[str], list[str]]:
    inputs, outputs = invocation(manifest).datasets(manifest.nodes[unique_id], None, pytest.fail)
    return names(inputs), names(outputs)


# What each adapter's relations are called, in the captured project.
SPELLED = {
    "postgres": ("shop.public.{}", 'shop.public."{}"'),
    "duckdb": ("shop.main.{}", 'shop.main."{}"'),
    "snowflake": ("ANALYTICS.SHOP.{}", 'ANALYTICS.SHOP."{}"'),
    "bigquery": ("shop-123.Shop.{}", "shop-123.Shop.{}"),
}


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.name)
def test_the_lineage_of_a_real_project(file: Path) -> None:
    manifest = read_manifest(file)
    plain, dotted = SPELLED[manifest.adapter]
    upper = manifest.adapter == "snowflake"

    def table(name: str) -> str:
        return (dotted if "." in name else plain).format(name.upper() if upper else name)

    def tables(unique_id: str) -> tuple[set[str], set[str]]:
        inputs, outputs = lineage(manifest, unique_id)
        return set(inputs), set(outputs)

    revenue = table("Revenue_by_customer" if upper else "Revenue.by.customer")
    assert manifest.project == "shop"
    assert tables("model.shop.stg_orders") == ({table("raw_orders")}, {table("stg_orders")})
    # through two ephemeral models
    assert tables("model.shop.revenue") == ({table("raw_customers"), table("stg_orders")}, {revenue})
    assert tables("model.shop.daily") == ({revenue}, {table("daily")})
    assert tables("seed.shop.raw_orders") == (set(), {table("raw_orders")})
    assert tables("snapshot.shop.orders_snapshot") == ({table("raw_orders")}, {table("orders_snapshot")})
    assert tables("model.shop.paid")[1] == set()
    tests = [key for key in manifest.nodes if key.startswith("test.")]
    assert len(tests) == 2
    assert all(tables(test) == ({revenue}, set()) for test in tests)


def test_every_version_that_can_be_made_here_was_made_by_a_real_dbt() -> None:
    versions = {re.findall(r"manifest/(v\d+)", file.read_text())[0] for file in MANIFESTS}
    assert {"v7", "v8", "v9", "v10", "v11", "v12"} <= versions
    assert {read_manifest(file).adapter for file in MANIFESTS} == set(SPELLED)


def test_a_manifest_of_a_version_to_come_is_read_by_its_shape(tmp_path: Path) -> None:
    """Previews of dbt 2 wrote v20."""
    content = json.loads((CAPTURED / "postgres-1.11.manifest.json").read_text())
    content["metadata"] |= {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v20.json", "new": [1]}
    for node in content["nodes"].values():
        node["something_new"] = {"of": ["any", "shape"]}
    content["something_else"] = []
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps(content))
    daily = (['shop.public."Revenue.by.customer"'], ["shop.public.daily"])
    assert lineage(read_manifest(file), "model.shop.daily") == daily


def test_columns_come_along() -> None:
    manifest = read_manifest(CAPTURED / "duckdb-1.11.manifest.json")
    columns = manifest.nodes["model.shop.revenue"].columns
    assert [(column.name, column.type, column.description) for column in columns] == [
        ("name", "varchar", "Who"),
        ("revenue", "double", None),
    ]
    assert manifest.nodes["source.shop.raw.orders"].columns[0].description == "The key"


def events(manifest: Manifest, results: Results, **more: Any) -> list[Any]:
    context = Context("jobs", Engine("dbt", manifest.dbt_version))
    checker = Checker(bare_references=False)
    told = []
    for each in invocation(manifest, **more).told(results, pytest.fail):
        line = to_event(each, context).to_json()
        checker.check(line, Option("lineage"))
        told.append(json.loads(line))
    return told


def captured() -> tuple[Manifest, Results]:
    return read_manifest(CAPTURED / "duckdb-1.11.manifest.json"), read_results(
        CAPTURED / "duckdb-1.11.run_results.json"
    )


def test_every_node_that_ran_starts_and_ends() -> None:
    manifest, results = captured()
    told = events(manifest, results)
    by_job: dict[str, list[str]] = {}
    for event in told:
        by_job.setdefault(event["job"]["name"], []).append(event["eventType"])
    assert by_job == {f"dbt.shop.dev.{each['unique_id']}": ["START", "COMPLETE"] for each in results.nodes}
    assert [event["eventTime"] for event in told] == sorted(event["eventTime"] for event in told)
    assert all(event["run"]["facets"]["parent"]["job"]["name"] == "dbt.shop.dev" for event in told)
    assert all("sql" not in event["job"]["facets"] for event in told)


def test_sql_is_told_only_where_somebody_asks() -> None:
    manifest, results = captured()
    queries = [event["job"]["facets"].get("sql", {}).get("query") for event in events(manifest, results, with_sql=True)]
    assert any(query and "sum(o.amount)" in query for query in queries)


@pytest.mark.parametrize("status", [*OUTCOMES, "Success", "something new", None])
def test_a_status_tells_what_the_table_says(status: str | None) -> None:
    manifest = made({"model.shop.a": {"relation_name": '"d"."s"."a"'}})
    result = {
        "unique_id": "model.shop.a",
        "status": status,
        "message": "it broke, password=canary",
        "timing": [{"started_at": "2026-01-01T00:00:00Z", "completed_at": "2026-01-01T00:00:01Z"}],
    }
    told = events(manifest, Results({}, {}, (result,)))
    outcome = OUTCOMES.get(str(status).lower())
    assert [event["eventType"] for event in told] == (["START", outcome] if outcome else [])
    assert "canary" not in str(told)
    if outcome == "FAIL":
        assert told[1]["run"]["facets"]["errorMessage"]["message"].startswith("it broke")


def test_a_node_that_the_manifest_lacks_is_told_without_datasets() -> None:
    result = {"unique_id": "operation.shop.x", "status": "success", "timing": [{"started_at": "2026-01-01T00:00:00Z"}]}
    told = events(made({}), Results({}, {}, (result,)))
    assert [(event["inputs"], event["outputs"]) for event in told] == [([], []), ([], [])]


def model(relation: str | None, *parents: str, **more: Any) -> dict[str, Any]:
    return {"relation_name": relation, "depends_on": {"nodes": [*parents]}, **more}


def test_circular_and_missing_references_end() -> None:
    loop = {"config": {"materialized": "ephemeral"}}
    manifest = made(
        {
            "model.x.a": model(None, "model.x.b", "model.x.missing", **loop),
            "model.x.b": model(None, "model.x.a", "model.x.b", **loop),
            "model.x.c": model('"d"."s"."c"', "model.x.a", "model.x.c", "exposure.x.e"),
        }
    )
    assert lineage(manifest, "model.x.c") == (["d.s.c"], ["d.s.c"])


def test_a_long_chain_of_ephemeral_models_ends() -> None:
    chain = {
        f"model.x.m{number}": model(None, f"model.x.m{number + 1}", config={"materialized": "ephemeral"})
        for number in range(5000)
    }
    manifest = made(
        {**chain, "model.x.m5000": model('"d"."s"."root"'), "model.x.top": model('"d"."s"."top"', "model.x.m0")}
    )
    assert lineage(manifest, "model.x.top") == (["d.s.root"], ["d.s.top"])


RELATIONS = {
    "postgres, quoted with dots and quotes": ("postgres", '"d"."a.b"."c""d"', 'd."a.b".c"d'),
    "postgres, unquoted": ("postgres", "D.S.Table", "d.s.table"),
    "postgres, two parts": ("postgres", '"s"."t"', "db.s.t"),
    "snowflake, unquoted": ("snowflake", "analytics.Shop.orders", "ANALYTICS.SHOP.ORDERS"),
    "snowflake, quoted": ("snowflake", 'analytics."Shop".orders', "ANALYTICS.Shop.ORDERS"),
    "bigquery": ("bigquery", "`p-1`.`Ds`.`t`", "p-1.Ds.t"),
    "redshift": ("redshift", '"d"."s"."T"', "d.s.T"),
    "clickhouse": ("clickhouse", "`d`.`t`", "d.t"),
    "databricks": ("databricks", "`c`.`s`.`t`", "c.s.t"),
    "spark": ("spark", "s.t", "s.t"),
    "athena": ("athena", '"AwsDataCatalog"."d"."t"', "AwsDataCatalog.d.t"),
    "trino": ("trino", '"c"."s"."t"', "c.s.t"),
    "mysql": ("mysql", "`d`.`t`", "d.t"),
    "sqlserver": ("sqlserver", '"d"."s"."t"', "d.s.t"),
    "synapse": ("synapse", '"d"."s"."t"', "s.t"),
    "oracle": ("oracle", "s.t", "svc.S.T"),
    "glue": ("glue", "d.t", "table/d/t"),
    "sqlite": ("sqlite", '"main"."t"', "main.t"),
    "fabric": ("fabric", '"d"."s"."t"', "d.s.t"),
    "dremio": ("dremio", '"d"."s"."t"', "d.s.t"),
    "hive": ("hive", "d.t", "d.t"),
    "teradata": ("teradata", '"d"."t"', "d.t"),
    "crate": ("crate", '"d"."s"."t"', "d.s.t"),
}
WHERE = {
    "host": "h",
    "server": "h",
    "software_host": "h",
    "account": "o-a",
    "region_name": "eu-west-1",
    "region": "eu-west-1",
    "role_arn": "arn:aws:iam::123456789012:role/dbt",
    "path": "/x/a.duckdb",
    "service": "svc",
}


@pytest.mark.parametrize("case", RELATIONS)
def test_a_relation_is_named_as_its_database_names_it(case: str) -> None:
    adapter, relation, name = RELATIONS[case]
    files = {"main": "/x/a.sqlite"} if adapter == "sqlite" else {}
    manifest = made({"model.x.a": model(relation, database="db", schema="s", name="a")}, adapter)
    where = where_of(manifest, Profile("dev", adapter, WHERE, files), None, pytest.fail)
    assert where is not None
    reference = where.dataset(manifest.nodes["model.x.a"], pytest.fail)
    assert reference is not None
    assert identity_of(reference).name == name


def test_every_adapter_has_a_case_and_a_system() -> None:
    assert {adapter for adapter, _, _ in RELATIONS.values()} | {"duckdb", "postgres"} == set(ADAPTERS)
    assert {adapter.system for adapter in ADAPTERS.values()} <= set(SYSTEMS)
    assert adapter_named("starburst") is ADAPTERS["trino"]


@pytest.mark.parametrize("quoting", [None, {"database": True}, {"database": None, "schema": True}])
def test_without_a_relation_the_parts_are_taken_as_dbt_quotes_them(quoting: Any) -> None:
    values = {"database": "analytics", "schema": "Shop", "alias": "orders", "config": {"quoting": quoting}}
    manifest = made({"model.x.a": values}, "snowflake")
    (name,) = lineage(manifest, "model.x.a")[1]
    database = "analytics" if quoting and quoting["database"] else "ANALYTICS"
    schema = "Shop" if quoting and quoting.get("schema") else "SHOP"
    assert name == f"{database}.{schema}.ORDERS"


def test_a_source_is_named_by_its_identifier() -> None:
    source = {"database": "d", "schema": "s", "name": "orders", "identifier": "raw_orders"}
    manifest = made({"source.x.raw.orders": source, "model.x.a": model('"d"."s"."a"', "source.x.raw.orders")})
    assert lineage(manifest, "model.x.a")[0] == ["d.s.raw_orders"]


def deferred(**more: Any) -> Manifest:
    other = {"relation_name": '"prod"."s"."a"', "database": "prod", "schema": "s", "alias": "a"}
    return made(
        {
            "model.x.a": model('"dev"."s"."a"', defer_relation=other),
            "model.x.b": model('"dev"."s"."b"', "model.x.a", **more),
        }
    )


@pytest.mark.parametrize(
    ("ran", "more", "expected"),
    [
        ({"model.x.b"}, {}, "prod.s.a"),
        ({"model.x.a", "model.x.b"}, {}, "dev.s.a"),
        ({"model.x.b"}, {"compiled_code": 'select * from "prod"."s"."a"'}, "prod.s.a"),
        ({"model.x.b"}, {"compiled_code": 'select * from "dev"."s"."a"'}, "dev.s.a"),
        (None, {}, "dev.s.a"),
    ],
    ids=["not run here", "run here", "compiled so", "compiled otherwise", "not deferring"],
)
def test_a_deferred_parent_is_another_environments_table(ran: set[str] | None, more: Any, expected: str) -> None:
    manifest = deferred(**more)
    inputs, _ = invocation(manifest).datasets(manifest.nodes["model.x.b"], ran, pytest.fail)
    assert names(inputs) == [expected]


def test_attached_databases_are_files_of_their_own(tmp_path: Path) -> None:
    manifest = made({"model.x.a": model('"other"."main"."a"'), "model.x.b": model('"shop"."main"."b"')}, "duckdb")
    where = where_of(
        manifest, Profile("dev", "duckdb", {"path": "shop.duckdb"}, {"other": "o.duckdb"}, tmp_path), None, pytest.fail
    )
    assert where is not None
    named = [
        identity_of(ref).namespace for node in manifest.nodes.values() if (ref := where.dataset(node, pytest.fail))
    ]
    assert named == [f"duckdb://{tmp_path}/o.duckdb", f"duckdb://{tmp_path}/shop.duckdb"]


def test_an_adapter_that_is_unknown_is_one_warning() -> None:
    notes: list[str] = []
    assert where_of(made({}, "clickhaus"), profile("clickhaus"), None, notes.append) is None
    assert notes == ["datasets are left out: the relations of dbt's adapter `clickhaus` have no name that is known"]


def test_without_a_profile_only_what_needs_none_is_named() -> None:
    notes: list[str] = []
    assert where_of(made({}, "bigquery"), None, None, notes.append) is not None
    assert where_of(made({}, "postgres"), None, None, notes.append) is None
    assert len(notes) == 1


def test_databricks_is_named_as_it_is_asked_for() -> None:
    manifest = made({"model.x.a": model("`c`.`s`.`t`")}, "databricks")
    for system, namespace in (("databricks", "databricks://h"), ("unitycatalog", "unitycatalog://h")):
        where = where_of(manifest, profile("databricks", host="h"), None, pytest.fail, databricks=system)
        assert where is not None
        reference = where.dataset(manifest.nodes["model.x.a"], pytest.fail)
        assert reference is not None
        assert identity_of(reference).namespace == namespace


def test_a_connection_may_stand_in_for_a_profile() -> None:
    manifest = made({"model.x.a": model('"d"."s"."t"')})
    where = where_of(manifest, None, DatasetRef.of("postgres", host="other"), pytest.fail)
    assert where is not None
    reference = where.dataset(manifest.nodes["model.x.a"], pytest.fail)
    assert reference is not None
    assert identity_of(reference).namespace == "postgres://other:5432"


def test_a_manifest_alone_gives_declared_jobs() -> None:
    manifest, _ = captured()
    declared = design_time(invocation(manifest), pytest.fail)
    assert "model.shop.revenue" in [name for name, _, _ in declared]
    assert all(not name.startswith("source.") for name, _, _ in declared)


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("which", "generated_at", "fresh"),
    [
        ("build", NOON + timedelta(seconds=1), True),
        ("run", NOON - timedelta(seconds=1), False),
        ("compile", NOON + timedelta(seconds=1), False),
        ("docs", NOON + timedelta(seconds=1), False),
        (None, NOON + timedelta(seconds=1), True),
        ("run", None, False),
    ],
)
def test_results_of_another_run_are_not_taken(which: str | None, generated_at: datetime | None, fresh: bool) -> None:
    metadata = {"generated_at": generated_at.isoformat() if generated_at else None}
    assert is_of_this_run(Results(metadata, {"which": which}, ()), NOON) == fresh


@pytest.mark.parametrize("value", [None, 3, "", "yesterday", "2026-13-01T00:00:00Z"])
def test_what_is_no_time_is_none(value: object) -> None:
    assert moment(value) is None


def test_a_time_without_an_offset_is_utc() -> None:
    assert moment("2026-01-01T12:00:00") == NOON


BAD = {
    "cut short": b'{"metadata": {}, "nodes": {"model.x',
    "not JSON": b"\x00\xff",
    "a list": b"[]",
    "no nodes": b'{"metadata": {}}',
    "nodes that are a list": b'{"nodes": []}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_is_no_manifest_is_an_error(case: str, tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(BAD[case])
    with pytest.raises(StreamtError) as caught:
        read_manifest(file)
    assert "manifest.json" in str(caught.value)


def test_a_manifest_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StreamtError, match="No such file"):
        read_manifest(tmp_path / "manifest.json")


def test_odd_values_in_a_manifest_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    nodes: dict[str, Any] = {
        "model.x.a": {"resource_type": "model", "relation_name": 3, "depends_on": [], "columns": [], "config": None},
        "model.x.b": None,
        "model.x.c": {"resource_type": "model", "depends_on": {"nodes": [3, None]}, "columns": {"x": None}, "name": 4},
    }
    file.write_text(json.dumps({"metadata": 3, "nodes": nodes, "sources": []}))
    manifest = read_manifest(file)
    assert list(manifest.nodes) == ["model.x.a", "model.x.c"]
    assert manifest.inputs(manifest.nodes["model.x.c"]) == ()


def test_a_profile_is_found_as_dbt_finds_it(tmp_path: Path) -> None:
    found = read_profile(PROJECT, {}, profiles_dir=None, profile=None, target="postgres")
    assert (found.target, found.adapter) == ("postgres", "postgres")
    assert dict(found.values) == {"type": "postgres", "host": "localhost", "port": "5432"}
    elsewhere = read_profile(
        PROJECT,
        {"DBT_TARGET": "snowflake", "DBT_PROFILES_DIR": str(PROJECT)},
        profiles_dir=None,
        profile=None,
        target=None,
    )
    assert elsewhere.values["account"] == "MyOrg-Shop"
    by_variable = read_profile(PROJECT, {"PGHOST": "db"}, profiles_dir=PROJECT, profile="shop", target="postgres")
    assert by_variable.values["host"] == "db"


def test_no_secret_of_a_profile_is_ever_kept() -> None:
    for target in ("duckdb", "postgres", "snowflake", "bigquery"):
        found = read_profile(PROJECT, {}, profiles_dir=None, profile=None, target=target)
        assert "never-told" not in repr(found)
    assert not {"password", "pass", "token", "private_key", "keyfile_json", "user"} & PROFILE_KEYS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("shop: [", "cannot be read"),
        ("- x", "not a mapping"),
        ("other: {}", "no such profile"),
        ("shop: {target: x, outputs: {}}", "no such target"),
        ("shop: {target: a, outputs: {a: {type: postgres, host: \"{{ env_var('NOPE') }}\"}}}", "not set"),
        ('shop: {target: a, outputs: {a: {type: postgres, host: "{{ nope() }}"}}}', "cannot be rendered"),
        ("shop: {target: a, outputs: {a: {type: postgres, host: \"{{ ''.__class__ }}\"}}}", "cannot be rendered"),
    ],
)
def test_a_profile_that_cannot_be_read_says_why(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "profiles.yml").write_text(text)
    with pytest.raises(ProfileError, match=message):
        read_profile(PROJECT, {}, profiles_dir=tmp_path, profile=None, target=None)
