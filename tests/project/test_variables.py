"""Variables and `.env` files, and that no message ever shows what a variable holds."""

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from streamt.diagnostics import Code, PlacedDiagnostic, StreamtError, Supplied, quote, resolve
from streamt.project import Project, load_project
from streamt.project.env_files import read_lines
from streamt.project.language import Column, document_schema, is_secret, schema_at
from streamt.project.variables import _pieces, substitute
from streamt.yaml import read_yaml

Find = Callable[..., tuple[PlacedDiagnostic, ...]]
Load = Callable[..., Project]
HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"


def replaced(text: str, **variables: str) -> object:
    substitution = substitute({"key": text}, variables)
    assert substitution.diagnostics == ()
    return substitution.data["key"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${A}", "one"),
        ("x${A}y${B}z", "xoneytwoz"),
        ("${A}${A}", "oneone"),
        ("${NONE:-d}", "d"),
        ("${EMPTY:-d}", "d"),
        ("${EMPTY}", ""),
        ("${NONE:-}", ""),
        ("${NONE:-a:b-c d}", "a:b-c d"),
        ("${A:-d}", "one"),
        ("$${A}", "${A}"),
        ("$$${A}", "$${A}"),
        ("$A $ {A} {A}", "$A $ {A} {A}"),
        ("${NESTED}", "${A}"),
    ],
)
def test_variables_are_replaced_once_as_a_shell_would(text: str, expected: str) -> None:
    assert replaced(text, A="one", B="two", EMPTY="", NESTED="${A}") == expected


@settings(max_examples=80)
@given(st.text(max_size=12))
def test_escaped_text_stands_for_itself(text: str) -> None:
    assert replaced(text.replace("${", "$${")) == text or "$${" in text


def test_keys_and_sql_are_left_alone(load: Load) -> None:
    text = HEAD + "models: [{name: a, sql: 'SELECT ${X}', topic: {config: {'${X}': '${X}'}}}]\n"
    text += "tests: [{name: t, type: sample, model: a, assertions: [{custom_sql: {sql: '${X}', expect: '${X}'}}]}]\n"
    document = load({"stream_project.yml": text, "macros/m.sql.j2": "${X}"}, environ={"X": "y"}).document
    assert document.models[0].sql == "SELECT ${X}"
    assert document.models[0].topic is not None
    assert document.models[0].topic.config == {"${X}": "y"}
    assert (document.tests[0].assertions[0].body.sql, document.tests[0].assertions[0].body.expect) == ("${X}", "y")


def test_parameters_of_macros_are_values(load: Load) -> None:
    text = HEAD + "models: [{name: a, macro: m, params: {sql: '${X}'}}]\n"
    assert load({"stream_project.yml": text}, environ={"X": "y"}).document.models[0].params == {"sql": "y"}


def test_a_shared_value_is_replaced_once(load: Load) -> None:
    text = HEAD + "sources:\n  - &s {name: a, topic: a, tags: &t ['$${X}']}\n  - {name: b, topic: b, tags: *t}\n"
    sources = load({"stream_project.yml": text}).document.sources
    assert [each.tags for each in sources] == [("${X}",), ("${X}",)]


def test_a_whole_variable_is_read_as_the_type_of_its_field(load: Load) -> None:
    text = (
        HEAD
        + "models: [{name: a, topic: {partitions: '${P}', config: {a: '${P}'}}, "
        + "columns: [{name: x, nullable: '${N}'}]}]\n"
    )
    text += "tests: [{name: t, type: sample, model: a, assertions: [{range: {column: x, min: '${R:-1.5}'}}]}]\n"
    document = load({"stream_project.yml": text}, environ={"P": "6", "N": "false"}).document
    found = document.models[0]
    assert found.topic is not None
    assert (found.topic.partitions, found.topic.config) == (6, {"a": "6"})
    assert found.columns[0].nullable is False
    assert document.tests[0].assertions[0].body.min == 1.5


@pytest.mark.parametrize("value", ["six", "6 ", "1_000", "true", "6.0", "9" * 5000, "hunter2"])
def test_a_variable_of_another_type_is_refused_without_its_value(problems: Find, value: str) -> None:
    text = HEAD + "defaults: {topic: {partitions: '${P}'}}"
    (problem,) = problems({"stream_project.yml": text}, environ={"P": value})
    assert problem.message == "`partitions` must be an integer; the value of `${P}` is something else"
    assert (problem.code, problem.line, problem.column) == (Code.PARSE_ERROR, 3, 32)


def test_a_variable_may_be_a_word_of_the_language_or_a_secret(load: Load) -> None:
    text = HEAD + "runtime: {kafka: {bootstrap_servers: 'b:1', sasl_password: '${S}'}}\n"
    text += "models: [{name: a, materialized: '${M}'}]"
    document = load({"stream_project.yml": text}, environ={"M": "topic", "S": "x"}).document
    assert document.runtime is not None
    assert document.runtime.kafka is not None
    assert document.runtime.kafka.sasl_password is not None
    assert (document.models[0].materialized, document.runtime.kafka.sasl_password.get_secret_value()) == ("topic", "x")


def test_a_supplied_name_is_no_hint_for_a_mistyped_one(problems: Find) -> None:
    text = HEAD + "models: [{name: '${NAME}'}]\ntests: [{name: t, type: schema, model: hunter3}]"
    (problem,) = problems({"stream_project.yml": text}, environ={"NAME": "hunter2"})
    assert (problem.message, problem.hint) == ("unknown model `hunter3`", None)


def test_text_around_a_variable_makes_no_number(problems: Find) -> None:
    (problem,) = problems({"stream_project.yml": HEAD + "defaults: {topic: {partitions: '1${P}'}}"}, environ={"P": "0"})
    assert problem.message == "`partitions` must be an integer; the value of `1${P}` is something else"


def test_all_missing_variables_are_told_at_once_with_their_places(problems: Find) -> None:
    text = HEAD + "sources:\n  - {name: a, topic: '${T}'}\n  - {name: b, topic: 'x${U}${V}'}\n"
    found = problems({"stream_project.yml": text})
    assert [(each.code, each.message, each.line, each.column) for each in found] == [
        (Code.ENV_VAR_ERROR, "variable `T` is not set", 4, 22),
        (Code.ENV_VAR_ERROR, "variable `U` is not set", 5, 22),
        (Code.ENV_VAR_ERROR, "variable `V` is not set", 5, 22),
    ]


@pytest.mark.parametrize(
    "text", ["${", "x${A", "${}", "${1A}", "${ A }", "${A-x}", "${A:?x}", "${A.b}", "${A:-${B}}", "${A:=x}"]
)
def test_malformed_variables_are_refused_without_their_text(problems: Find, text: str) -> None:
    found = problems({"stream_project.yml": f"{HEAD}sources: [{{name: a, topic: t, description: 'secret {text}'}}]"})
    assert {(each.code, each.message, each.line) for each in found} == {(Code.ENV_VAR_ERROR, "malformed variable", 3)}


def test_bytes_that_are_no_text_are_refused(problems: Find) -> None:
    (problem,) = problems(
        {"stream_project.yml": "apiVersion: streamt.dev/v1alpha1\nproject: {name: '${N}'}"}, environ={"N": "a\udcff"}
    )
    assert (problem.code, problem.message) == (Code.ENV_VAR_ERROR, "the value of variable `N` is not UTF-8")


def described(load: Load, files: dict[str, str], **options: object) -> str | None:
    text = "apiVersion: streamt.dev/v1alpha1\nproject: {name: a, description: '${A}'}"
    return load({"stream_project.yml": text} | files, **options).document.project.description


def test_variables_come_from_the_nearest_place(load: Load) -> None:
    assert described(load, {".env": "A=1"}) == "1"
    assert described(load, {".env.default": "A=2"}) == "2"
    assert described(load, {}, environ={"A": "3"}) == "3"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=x y", "x y"), ("export A=x", "x"), ("A='x # y'", "x # y"), ("A=x # note", "x"), ('A="x\\ny"', "x\ny"),
        ("A=${HOME}", "${HOME}"), ("A=", ""), ("# c\n\nA = x", "x"), ("A=1\nA=2", "2"), ("\ufeffA=x", "x"),
    ],
)  # fmt: skip
def test_env_files_are_read_without_interpolation(load: Load, line: str, value: str) -> None:
    assert described(load, {".env": line}) == value


@pytest.mark.parametrize(
    ("text", "line"),
    [("A=1\nhunter2 hunter2\n", 2), ("A=1\n\nB='hunter2\n", 3), ("A=1\n=hunter2\n", 2), ("A=1\nhunter2\n", 2)],
)
def test_malformed_lines_of_env_files_are_refused(problems: Find, text: str, line: int) -> None:
    (problem,) = problems({"stream_project.yml": HEAD, ".env": text})
    assert (problem.code, problem.file, problem.line) == (Code.ENV_VAR_ERROR, ".env", line)
    assert "hunter2" not in str(problem)


def test_an_env_file_that_is_not_utf_8_is_refused(problems: Find) -> None:
    (problem,) = problems({"stream_project.yml": HEAD, ".env": b"A=\xff"})
    assert (problem.code, problem.message) == (Code.ENV_VAR_ERROR, "`.env` is not UTF-8")


def test_a_message_quotes_the_variable_and_not_its_value(load: Load) -> None:
    project = load({"stream_project.yml": HEAD + "models: [{name: '${NAME}'}]"}, environ={"NAME": "or"})
    assert quote(project.document.models[0].name) == "`${NAME}`"
    assert quote("or") == "`or`"


SECRET = "hunter2-s3cret"
EVERYWHERE = (
    HEAD.replace("{", "{{").replace("}", "}}")
    + """\
runtime:
  kafka: {{bootstrap_servers: "b:1", sasl_password: {0}, security_protocol: {1}}}
  schema_registry: {{url: "http://r", password: {0}}}
  flink: {{clusters: {{f: {{api_key: {0}, api_secret: {0}, type: {1}}}}}}}
  connect: {{clusters: {{c: {{rest_url: "http://c", password: {0}}}}}}}
  conduktor: {{gateway: {{password: {0}}}, console: {{api_key: {0}}}}}
deployment_state: {{backend: postgres, url: {0}}}
defaults: {{topic: {{partitions: {1}}}}}
models:
  - name: {1}
    from: x
    materialized: {1}
    sink: {{connector: x, config: {{k: {0}}}}}
  - name: {1}
tests: [{{name: t, model: {1}, type: {1}, timeout: {1}}}]
"""
)


@pytest.mark.parametrize(
    "secret", [f'"{SECRET}"', f"[{SECRET}]", f"{{{SECRET}: 1}}", f"{{a: {SECRET}}}", "73571234567"]
)
def test_no_message_shows_a_secret(write: Callable[..., Path], secret: str) -> None:
    root = write({"stream_project.yml": EVERYWHERE.format(secret, '"${V}"')})
    with pytest.raises(StreamtError) as caught:
        load_project(root, environ={"V": "v4riable-value"})
    text = "\n".join(map(str, caught.value.placed()))
    assert len(caught.value.diagnostics) > 5
    assert "v4riable" not in text
    assert "73571234567" not in text
    assert SECRET not in text


def test_a_loaded_project_prints_without_its_secrets(load: Load) -> None:
    text = (
        HEAD
        + f"""\
runtime:
  kafka: {{bootstrap_servers: "b:1", sasl_password: {SECRET}}}
  connect: {{clusters: {{c: {{rest_url: "http://c", password: {SECRET}}}}}}}
models: [{{name: m, from: m, sink: {{connector: x, config: {{k: {SECRET}}}}}}}]
"""
    )
    assert SECRET not in repr(load({"stream_project.yml": text}))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(st.characters(codec="utf-8"), min_size=4, max_size=12))
def test_no_value_of_a_variable_appears_in_any_message(write: Callable[..., Path], value: str) -> None:
    value = f"zq{value}"
    root = write({"stream_project.yml": EVERYWHERE.format('"${V}"', '"${V}"')})
    with pytest.raises(StreamtError) as caught:
        load_project(root, environ={"V": value})
    assert value not in "\n".join(map(str, caught.value.placed()))


SECRETS = """\
runtime:
  kafka: {{bootstrap_servers: "b:1", sasl_username: {0}, sasl_password: {0}}}
  schema_registry: {{url: "http://r", username: {0}, password: {0}}}
  flink: {{clusters: {{f: {{api_key: {0}, api_secret: {0}}}}}}}
  connect: {{clusters: {{c: {{rest_url: "http://c", username: {0}, password: {0}}}}}}}
  conduktor: {{gateway: {{username: {0}, password: {0}}}, console: {{api_key: {0}}}}}
deployment_state: {{backend: postgres, url: {0}}}
models: [{{name: m, from: x, sink: {{connector: x, config: {{k: {0}}}}}}}]
"""


def test_an_unset_variable_of_a_secret_is_asked_for_when_it_is_needed(load: Load) -> None:
    project = load({"stream_project.yml": HEAD + SECRETS.format('"${UNSET}"')})
    assert project.document.runtime is not None
    assert project.document.runtime.kafka is not None
    password = project.document.runtime.kafka.sasl_password
    assert password is not None
    with pytest.raises(StreamtError) as caught:
        password.get_secret_value()
    (wrong,) = resolve(caught.value.diagnostics, project.source_map)
    assert (wrong.code, wrong.message, wrong.hint) == (
        Code.ENV_VAR_ERROR,
        "variable `UNSET` is not set",
        "set `UNSET`, or write `${UNSET:-default}`",
    )
    assert (wrong.file, wrong.line, wrong.location) == ("stream_project.yml", 4, "/runtime/kafka/sasl_password")


def test_a_set_secret_is_known_to_those_who_ask(load: Load) -> None:
    project = load({"stream_project.yml": HEAD + SECRETS.format('"x${SET}"')}, environ={"SET": "y"})
    config = project.document.models[0].sink.config if project.document.models[0].sink else {}
    assert config["k"].get_secret_value() == "xy"


def test_the_places_of_secrets_are_those_of_the_schema(write: Callable[..., Path]) -> None:
    root = write({"stream_project.yml": HEAD + SECRETS.format("x")})
    data = read_yaml((root / "stream_project.yml").read_bytes(), "f").data
    schema = document_schema()
    for path in leaves(data):
        assert is_secret(path) == bool(schema_at(schema, data, path).get("writeOnly")), path


def test_every_secret_of_the_schema_is_in_the_example() -> None:
    schema = document_schema()
    names = {
        name
        for each in schema["$defs"].values()
        for name, field in each.get("properties", {}).items()
        if any(branch.get("writeOnly") for branch in [field, *field.get("anyOf", [])])
    }
    assert all(f"{name}: {{0}}" in SECRETS for name in names)


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in parts:
        yield from leaves(each, (*path, key))
    if not isinstance(value, (dict, list)):
        yield path


@pytest.mark.parametrize("text", ["{hunter2", "{a,hunter2", '{"hunter2"', "{hunter2: {x", "{hunter2: 1, hunter2: 2}"])
@pytest.mark.parametrize("place", ["runtime: {{kafka: {{sasl_password: {0}}}}}", "deployment_state:\n  url: {0}\n"])
def test_an_unquoted_secret_that_begins_with_a_brace_is_not_repeated(problems: Find, text: str, place: str) -> None:
    found = problems({"stream_project.yml": HEAD + place.format(text)})
    assert "hunter2" not in "\n".join(str(each.as_dict()) for each in found)


MARKED = """\
project: {{name: {0}}}
sources: [{{name: {0}, topic: {0}, tags: [x, {0}], columns: [{{name: {0}, type: {0}}}], event_time: {{column: {0}}}}}]
models:
  - name: a
    key: [{0}]
    from: {0}
    gateway: {{virtual_topic: {{name: {0}}}}}
    advanced: {{topic: {{config: {{k: {0}}}}}}}
    security: {{classification: {{c: public}}, policies: [{{mask: {{column: {0}, method: hash}}}}]}}
  - {{name: b, from: [{{source: {0}}}], gateway: {{virtual_topic: {0}}}, deprecation: {{x: [{0}]}}}}
  - {{name: c, macro: {0}, params: {{p: [{{q: {0}}}]}}, topic: {{name: {0}}}}}
tests: [{{name: {0}, source: {0}, type: schema, assertions: [{{accepted_values: {{column: {0}, values: [{0}]}}}}]}}]
rules: {{topics: {{required_config: {{k: {0}}}, forbidden_prefixes: [{0}]}}}}
"""


def test_every_text_of_a_variable_stays_marked_in_the_models(load: Load) -> None:
    text = "apiVersion: streamt.dev/v1alpha1\n" + MARKED.format('"${V}"')
    document = load({"stream_project.yml": text}, environ={"V": "canary"}).document
    found = [text for text in texts(document) if text == "canary"]
    assert len(found) == MARKED.count("{0}")
    assert all(isinstance(text, Supplied) and text.template == "${V}" for text in found)


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseModel):
        for _, each in value:
            yield from texts(each)
    elif isinstance(value, Column):
        for name in ("name", "type", "description", "classification"):
            yield from texts(getattr(value, name))
    elif isinstance(value, (dict, tuple, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts(each)


def test_marked_text_survives_a_way_to_another_process() -> None:
    text = Supplied("a", "${A}", whole=False)
    copy = pickle.loads(pickle.dumps(text))
    assert (copy, copy.template, copy.whole, copy.unset) == ("a", "${A}", False, None)


@pytest.mark.parametrize(
    "text",
    ["${" * 100_000, "$${" * 100_000, "${A}" * 100_000, "$" * 300_000],
    ids=["open", "escaped", "closed", "dollars"],
)
def test_variables_are_found_in_one_pass(text: str) -> None:
    steps = sum(1 for _ in _pieces(text))
    assert steps <= 2 * text.count("${") + 1


@pytest.mark.parametrize("line", ["X=a" + " " * 200_000 + "b # c", "X='" + "\\" * 200_000, 'X="a' * 50_000])
def test_a_long_line_of_an_env_file_is_read_at_once(line: str) -> None:
    assert len(list(read_lines(line, ".env"))) <= 50_000
