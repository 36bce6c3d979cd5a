"""An environment as the engine sees it: policy, store, providers, selection."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from streamt.compiler import compile_models
from streamt.deploy.artifact import ResourceKind, SecretRef
from streamt.deploy.plan import make_plan
from streamt.deploy.state import LocalStore, PostgresStore
from streamt.diagnostics import Code, StreamtError
from streamt.project import load_project
from streamt.workspace.deployment import LOCK_WAIT, Deployment

ROOT = """\
apiVersion: streamt.dev/v1alpha1
project: {name: shop}
sources: [{name: orders, topic: orders.v1, tags: [raw]}]
models:
  - name: paid
    tags: [core]
    owner: pay
    columns: &id [{name: id, type: STRING}]
    topic: {name: paid.v1, config: {cleanup.policy: compact}}
  - {name: sent, sql: 'SELECT * FROM {{ ref("paid") }}', topic: {name: sent.v1}, columns: *id}
  - {name: theirs, ownership: {mode: external}, topic: {name: theirs.v1}}
  - {name: ours, ownership: {mode: adopted, protect: false}, topic: {name: ours.v1}}
exposures: [{name: board, type: dashboard, consumes: [{ref: sent}], consumer_group: g}]
"""
RUNTIME = "runtime: {kafka: {bootstrap_servers: 'b:9092'}}\n"


def deployment(folder: Path, more: str = RUNTIME, environ: Mapping[str, str] | None = None) -> Deployment:
    (folder / "stream_project.yml").write_text(ROOT + more)
    project = load_project(folder, None, environ or {})
    return Deployment(project, compile_models(project, compiled_at=datetime(2026, 1, 1, tzinfo=UTC)))


def in_environment(folder: Path, content: str, environ: Mapping[str, str] | None = None) -> Deployment:
    (folder / "environments").mkdir()
    (folder / "environments/prod.yml").write_text(content)
    return deployment(folder, "", environ)


def code_of(error: pytest.ExceptionInfo[StreamtError]) -> Code:
    return error.value.diagnostics[0].code


def test_what_is_declared(tmp_path: Path) -> None:
    found = {each.address.name: each for each in deployment(tmp_path).desired.of_kind(ResourceKind.TOPIC)}
    assert sorted(found) == ["ours", "paid", "sent"]
    assert [(found[each].ownership, found[each].protect) for each in ("ours", "paid")] == [
        ("adopted", False),
        ("managed", True),
    ]
    assert (found["paid"].content["keyed"], found["sent"].content["keyed"]) == (True, False)


def test_a_protected_environment_asks_for_everything(tmp_path: Path) -> None:
    policy = in_environment(tmp_path, "environment: {protected: true}\n" + RUNTIME).policy
    assert (policy.protected, policy.confirm, policy.reviewed, policy.may_destroy) == (True, True, True, False)


def test_safety_becomes_policy(tmp_path: Path) -> None:
    safety = "safety: {plan_max_age: 2h, allow_destructive: true, deletable: [topic], require_remote_state: true}\n"
    policy = in_environment(tmp_path, RUNTIME + safety).policy
    assert policy.plan_max_age == timedelta(hours=2)
    assert (policy.may_destroy, policy.deletable, policy.remote_state) == (True, frozenset({ResourceKind.TOPIC}), True)


def test_stores(tmp_path: Path) -> None:
    local = deployment(tmp_path)
    assert isinstance(local.store, LocalStore)
    assert local.store.address == "streamt-state://default/shop/default"
    assert (local.lock_wait(None), local.lock_wait(5), local.remembers_secrets) == (LOCK_WAIT, 5, True)
    declared = "deployment_state: {backend: postgres, url: '${U}', namespace: n, lock_wait: 2m, secret_memory: 'off'}\n"
    remote = deployment(tmp_path, RUNTIME + declared, {"U": "postgresql://x"})
    assert isinstance(remote.store, PostgresStore)
    assert remote.store.address == "streamt-state://n/shop/default"
    assert (remote.lock_wait(None), remote.remembers_secrets) == (120, False)


def test_a_database_whose_address_is_missing_or_not_set(tmp_path: Path) -> None:
    with pytest.raises(StreamtError) as missing:
        _ = deployment(tmp_path, RUNTIME + "deployment_state: {backend: postgres}\n").store
    with pytest.raises(StreamtError) as unset:
        _ = deployment(tmp_path, RUNTIME + "deployment_state: {backend: postgres, url: '${U}'}\n").store
    assert (code_of(missing), code_of(unset)) == (Code.STATE_UNAVAILABLE, Code.ENV_VAR_ERROR)


@pytest.mark.parametrize(
    ("runtime", "code"),
    [
        ("", Code.COMPILE_ERROR),
        ("runtime: {kafka: {bootstrap_servers: 'b:1', ssl_ca_location: nowhere.pem}}\n", Code.ENVIRONMENT_ERROR),
        ("runtime: {kafka: {bootstrap_servers: 'b:1', sasl_username: u, sasl_password: '${P}'}}\n", Code.ENV_VAR_ERROR),
    ],
)
def test_what_is_wrong_with_the_project_is_no_missing_evidence(tmp_path: Path, runtime: str, code: Code) -> None:
    with pytest.raises(StreamtError) as error:
        make_plan(deployment(tmp_path, runtime).scope())
    assert code_of(error) is code


def test_a_registry_is_a_provider_where_there_is_one(tmp_path: Path) -> None:
    with_registry = RUNTIME.replace("}}", "}, schema_registry: {url: 'http://r:1', username: u, password: 's3cret'}}")
    found = deployment(tmp_path, with_registry)
    assert set(found.providers) == {ResourceKind.TOPIC, ResourceKind.SCHEMA}
    assert {"u", "s3cret"} <= found.secrets


@pytest.mark.parametrize(
    ("selectors", "names"),
    [
        (("paid",), {"paid"}),
        (("paid+",), {"paid", "sent"}),
        (("+sent",), {"paid", "sent"}),
        (("tag:core", "tag:raw"), {"orders", "paid"}),
        (("kind:topic",), {"orders", "ours", "paid", "sent", "theirs"}),
        (("paid", "kind:topic"), {"paid"}),
    ],
)
def test_selectors(tmp_path: Path, selectors: tuple[str, ...], names: set[str]) -> None:
    selection = deployment(tmp_path).selection(selectors)
    assert selection is not None
    assert selection.names == names
    assert (selection.kinds == frozenset({ResourceKind.TOPIC})) is ("kind:topic" in selectors)


@pytest.mark.parametrize("selector", ["nobody", "tag:nothing", "kind:topik"])
def test_a_selector_that_means_nothing(tmp_path: Path, selector: str) -> None:
    with pytest.raises(StreamtError) as error:
        deployment(tmp_path).selection((selector,))
    assert code_of(error) is Code.USAGE_ERROR


def test_who_is_reached(tmp_path: Path) -> None:
    impact = deployment(tmp_path).reach.impact("paid")
    assert (impact.models, [each.name for each in impact.exposures], impact.owners) == (("sent",), ["board"], ("pay",))


def test_addresses_by_kind_and_name(tmp_path: Path) -> None:
    found = deployment(tmp_path)
    assert str(found.address("topics", "paid")) == "streamt://shop/default/topic/paid"
    assert str(found.address("schema", "paid")) == "streamt://shop/default/schema/paid/value"
    assert str(found.address("schema", "a/b/key")) == "streamt://shop/default/schema/a%2Fb/key"
    with pytest.raises(StreamtError):
        found.address("topix", "paid")


def test_a_variable_in_a_setting_that_kafka_does_not_have_is_a_secret(tmp_path: Path) -> None:
    models = "config: {cleanup.policy: compact, retention.ms: '${R}', vendor.key: '${V}'}"
    (tmp_path / "stream_project.yml").write_text(ROOT.replace("config: {cleanup.policy: compact}", models) + RUNTIME)
    project = load_project(tmp_path, None, {"R": "1000", "V": "planted"})
    found = Deployment(project, compile_models(project, compiled_at=datetime(2026, 1, 1, tzinfo=UTC))).desired
    (paid,) = [each for each in found.of_kind(ResourceKind.TOPIC) if each.address.name == "paid"]
    ref = SecretRef("/models/paid/topic/config/vendor.key")
    config = paid.content["config"]
    assert config == {"cleanup.policy": "compact", "retention.ms": "1000", "vendor.key": ref}
    assert (found.secrets.reveal(ref), paid.secrets) == ("planted", {"/config/vendor.key": ref})
