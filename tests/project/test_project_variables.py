"""Variables and `.env` files, and that no message ever shows what a variable holds."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamt.diagnostics import Code, Diagnostic, PlacedDiagnostic, ProjectPath, StreamtError, resolve
from streamt.project import Project, load_project
from streamt.project.variables import substitute

Find = Callable[..., tuple[PlacedDiagnostic, ...]]
Load = Callable[..., Project]
HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"


def replaced(text: str, **variables: str) -> object:
    substitution = substitute({"key": text}, variables)
    assert substitution.problems == ()
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
    assert (problem.message, problem.hint) == ("there is no model `hunter3`", None)


def test_text_around_a_variable_makes_no_number(problems: Find) -> None:
    (problem,) = problems({"stream_project.yml": HEAD + "defaults: {topic: {partitions: '1${P}'}}"}, environ={"P": "0"})
    assert problem.message == "`partitions` must be an integer; the value of `1${P}` is something else"


def test_all_missing_variables_are_told_at_once_with_their_places(problems: Find) -> None:
    text = HEAD + "sources:\n  - {name: a, topic: '${T}'}\n  - {name: b, topic: 'x${U}${V}'}\n"
    found = problems({"stream_project.yml": text})
    assert [(each.code, each.message, each.line, each.column) for each in found] == [
        (Code.ENV_VAR_ERROR, "the variable `T` is not set", 4, 22),
        (Code.ENV_VAR_ERROR, "the variable `U` is not set", 5, 22),
        (Code.ENV_VAR_ERROR, "the variable `V` is not set", 5, 22),
    ]


@pytest.mark.parametrize(
    "text", ["${", "x${A", "${}", "${1A}", "${ A }", "${A-x}", "${A:?x}", "${A.b}", "${A:-${B}}", "${A:=x}"]
)
def test_malformed_variables_are_refused_without_their_text(problems: Find, text: str) -> None:
    found = problems({"stream_project.yml": f"{HEAD}sources: [{{name: a, topic: t, description: 'secret {text}'}}]"})
    assert {(each.code, each.message, each.line) for each in found} == {
        (Code.ENV_VAR_ERROR, "a variable is malformed here", 3)
    }


def test_bytes_that_are_no_text_are_refused(problems: Find) -> None:
    (problem,) = problems(
        {"stream_project.yml": "apiVersion: streamt.dev/v1alpha1\nproject: {name: '${N}'}"}, environ={"N": "a\udcff"}
    )
    assert (problem.code, problem.message) == (Code.ENV_VAR_ERROR, "the variable `N` holds bytes that are not UTF-8")


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


def test_a_supplied_name_is_hidden_in_later_messages(load: Load) -> None:
    project = load({"stream_project.yml": HEAD + "models: [{name: '${NAME}'}]"}, environ={"NAME": "hunter2"})
    place = ProjectPath(("models", 0, "name"))
    made = Diagnostic(code=Code.COMPILE_ERROR, message="`hunter2` reads hunter22", location=place)
    (shown,) = resolve([made], project.source_map)
    assert (shown.message, shown.line, shown.column) == ("`${NAME}` reads hunter22", 3, 17)


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
