"""A project that was read before means the same when it is read by what was kept, and no secret of it is kept."""

import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import streamt.sql.tree
from streamt.cache import Cache
from streamt.diagnostics import StreamtError
from streamt.project.files import Folder
from streamt.project.yaml_file import read_yaml_file
from streamt.workspace import Workspace, open_workspace
from streamt.workspace.parse_cache import project_cache
from streamt.yaml.reader import Builder
from tests.builder import write_files

EXAMPLES = Path(__file__).parents[2] / "examples"
HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"
RUNTIME = "runtime: {kafka: {bootstrap_servers: 'b:9092'}}\n"
SINK = """\
models:
  - {name: paid, topic: {name: paid.v1}}
  - name: sent
    from: [{ref: paid}]
    sink:
      connector: jdbc-sink
      config:
        connection.password: hunter2
        connection.url: "jdbc:postgresql://db/shop?password=hunter3"
  - {name: kept, sql: 'SELECT * FROM {{ ref("paid") }} WHERE a > 1'}
"""


def cache_in(folder: Path, project: Path) -> Cache:
    return project_cache(project, {"STREAMT_CACHE_DIR": str(folder)})


def opened(project: Path, cache: Cache, **environ: str) -> Workspace:
    return open_workspace(project, environ.pop("env", None), {"SOURCE_DATE_EPOCH": "1"} | environ, cache)


def texts_read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return the list of all that is read as YAML from now on; SQL and Jinja's templates cannot be read any more."""
    read: list[bytes] = []
    true_read = Builder.read

    def counted(builder: Builder) -> Any:
        read.append(builder._content)
        return true_read(builder)

    def fail(*_: object) -> Any:
        raise AssertionError("it was read again")

    monkeypatch.setattr(Builder, "read", counted)
    monkeypatch.setattr(streamt.sql.tree, "parse", fail)
    monkeypatch.setattr(import_module("streamt.compiler.templates.render"), "parse", fail)
    return read


def bytes_below(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file())


@pytest.mark.parametrize(("example", "env"), [("payments", None), ("ecommerce", "prod"), ("iot", None)])
def test_a_project_read_again_means_the_same_without_a_parser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: str, env: str | None
) -> None:
    environ = {"env": env} if env else {}
    first = opened(EXAMPLES / example, cache_in(tmp_path, EXAMPLES / example), **environ)
    read = texts_read(monkeypatch)
    again = opened(EXAMPLES / example, cache_in(tmp_path, EXAMPLES / example), **environ)
    # What may hold a secret is read again: connectors, and here the name of a user.
    assert all(b"connector" in each or b"sasl_username" in each for each in read)
    assert again.compilation == first.compilation
    assert again.project.document == first.project.document


def test_a_changed_file_alone_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Path(shutil.copytree(EXAMPLES / "ecommerce", tmp_path / "shop"))
    opened(project, cache_in(tmp_path / "c", project), env="dev")
    read = texts_read(monkeypatch)
    changed = next((project / "models").rglob("*.yml"))
    changed.write_text(changed.read_text() + "# changed\n")
    opened(project, cache_in(tmp_path / "c", project), env="dev")
    assert [each for each in read if b"connector" not in each] == [changed.read_bytes()]  # those may hold secrets


def test_what_is_wrong_is_said_as_before_and_nothing_of_it_is_kept(tmp_path: Path) -> None:
    write_files(tmp_path / "p", {"stream_project.yml": HEAD + RUNTIME + "models: [{name: a, sql: SELECT}, {nam: b}]\n"})
    said = []
    for _ in range(2):
        with pytest.raises(StreamtError) as caught:
            opened(tmp_path / "p", cache_in(tmp_path / "c", tmp_path / "p"))
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert not (tmp_path / "c").exists()


def test_warnings_have_their_places_when_nothing_is_read_again(tmp_path: Path) -> None:
    text = HEAD + RUNTIME + "models:\n  - name: a\n    topic: {name: a.v1, config: {retention.m: 1}}\n"
    write_files(tmp_path / "p", {"stream_project.yml": text})
    said = []
    for _ in range(2):
        workspace = opened(tmp_path / "p", cache_in(tmp_path / "c", tmp_path / "p"))
        said.append(workspace.placed(*workspace.warnings))
    assert said[0] == said[1]
    assert len(said[0]) == 1


def test_items_with_secrets_are_kept_nowhere_and_the_others_are(tmp_path: Path) -> None:
    write_files(tmp_path / "p", {"stream_project.yml": HEAD + RUNTIME + "sources: []\n", "models/a.yml": SINK})
    first = opened(tmp_path / "p", cache_in(tmp_path / "c", tmp_path / "p"))
    again = opened(tmp_path / "p", cache_in(tmp_path / "c", tmp_path / "p"))
    assert again.project.document == first.project.document
    assert b"hunter" not in bytes_below(tmp_path / "c")
    assert b"paid.v1" in bytes_below(tmp_path / "c")


@pytest.mark.parametrize("written", ["hunter2", '"${PASSWORD:-hunter2}"', "'x${PASSWORD}hunter2'"])
def test_a_file_with_a_secret_outside_of_lists_is_not_kept(tmp_path: Path, written: str) -> None:
    runtime = f"runtime: {{kafka: {{bootstrap_servers: 'b:9092', sasl_password: {written}}}}}\n"
    write_files(
        tmp_path / "p", {"stream_project.yml": HEAD + runtime + "models: [{name: paid, topic: {name: t.v1}}]\n"}
    )
    opened(tmp_path / "p", cache_in(tmp_path / "c", tmp_path / "p"), PASSWORD="hunter3")
    assert b"hunter" not in bytes_below(tmp_path / "c")
    assert b"t.v1" not in bytes_below(tmp_path / "c")


@pytest.mark.parametrize("written", ["${PASSWORD}", "${PASSWORD:-}", ""])
def test_a_file_that_only_names_the_variable_of_a_secret_is_kept(tmp_path: Path, written: str) -> None:
    runtime = f"runtime: {{kafka: {{bootstrap_servers: 'b:9092', sasl_password: \"{written}\"}}}}\n"
    write_files(
        tmp_path / "p", {"stream_project.yml": HEAD + runtime + "models: [{name: paid, topic: {name: t.v1}}]\n"}
    )
    opened(tmp_path / "p", cache_in(tmp_path / "c", tmp_path / "p"), PASSWORD="hunter3")
    assert b"hunter" not in bytes_below(tmp_path / "c")
    assert b"t.v1" in bytes_below(tmp_path / "c")


def test_what_a_variable_supplies_to_sql_is_kept_nowhere(tmp_path: Path) -> None:
    models = "models: [{name: a, macro: m, params: {key: '${KEY}'}}]\n"
    sources = "sources: [{name: s, topic: s.v1}]\n"
    files = {
        "stream_project.yml": HEAD + RUNTIME + sources + models,
        "macros/m.sql.j2": "SELECT hunter_{{ params.key }} /* x */ FROM {{ source('s') }} WHERE b = 1",
    }
    write_files(tmp_path / "p", files)
    opened(tmp_path / "p", cache_in(tmp_path / "c", tmp_path / "p"), KEY="hunter2")
    assert b"hunter2" not in bytes_below(tmp_path / "c")
    assert b"hunter_" not in bytes_below(tmp_path / "c")


def test_a_macro_is_rendered_for_each_of_its_params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = ["1", "'1'", "1.5", "true", "'true'", "'x'", "''"]
    models = "".join(f"  - {{name: m{n}, macro: m, params: {{key: {value}}}}}\n" for n, value in enumerate(values))
    files = {
        "stream_project.yml": f"{HEAD}{RUNTIME}sources: [{{name: s, topic: s.v1}}]\nmodels:\n{models}",
        "macros/m.sql.j2": "SELECT {% if key is string %}'{{ key }}'{% else %}{{ key }}{% endif %} AS a "
        "FROM {{ source('s') }}",
    }
    write_files(tmp_path / "p", files)
    first = opened(tmp_path / "p", cache_in(tmp_path / "c", tmp_path / "p")).compilation
    texts = [each.query.text for each in first.models if each.query]
    assert len(set(texts)) == len(values)
    texts_read(monkeypatch)
    again = opened(tmp_path / "p", cache_in(tmp_path / "c", tmp_path / "p")).compilation
    assert [each.query for each in again.models] == [each.query for each in first.models]


def test_another_value_of_a_variable_counts_at_once(tmp_path: Path) -> None:
    write_files(tmp_path / "p", {"stream_project.yml": HEAD + RUNTIME + "models: [{name: a, topic: {name: '${T}'}}]\n"})
    names = []
    for name in ("one", "two"):
        workspace = opened(tmp_path / "p", cache_in(tmp_path / "c", tmp_path / "p"), T=name)
        output = workspace.compiled.nodes[0].output
        names.append(output.name if output else None)
    assert names == ["one", "two"]


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"STREAMT_CACHE_DIR": "own", "XDG_CACHE_HOME": "xdg"}, "own"),
        ({"XDG_CACHE_HOME": "xdg"}, "xdg/streamt"),
    ],
)
def test_the_folder_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], folder: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path / "p", {"stream_project.yml": HEAD + RUNTIME + "models: [{name: a, topic: {name: a.v1}}]\n"})
    opened(tmp_path / "p", project_cache(tmp_path / "p", environ))
    assert [each.suffix for each in (tmp_path / folder).iterdir()] == [".cache"]
    assert [each.name for each in (tmp_path / "p").iterdir()] == ["stream_project.yml"]


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**40), 10**40),
    st.floats(),
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc: #é🎈", min_size=1), inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(VALUES, max_size=5), st.dictionaries(st.sampled_from(["project", "rules", "x"]), VALUES))
def test_any_file_is_read_from_what_was_kept_as_from_itself(
    tmp_path_factory: pytest.TempPathFactory, models: list[Any], more: dict[str, Any]
) -> None:
    import yaml

    folder = tmp_path_factory.mktemp("any")
    (folder / "a.yml").write_text(yaml.safe_dump({"models": models} | more, allow_unicode=True), encoding="utf-8")
    try:
        plain = read_yaml_file(Folder(folder), "a.yml")
    except StreamtError:
        return
    for _ in range(2):
        cache = Cache(folder / "c", ("1",))
        found = read_yaml_file(Folder(folder), "a.yml", cache)
        cache.save()
        assert repr(found.data) == repr(plain.data)  # NaN is not equal to itself
        assert {key: list(each) for key, each in found.layout.items.items()} == plain.layout.items
