"""Whatever is wrong with a project: a code, a place, status 1, no traceback, and an untouched target."""

import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import MINIMAL, export, export_json, without_root, write_project

HEAD = MINIMAL.partition("models:")[0]


def with_models(models: str) -> str:
    return HEAD + "models:\n" + models


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "out" / "events.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"old")
    return path


def refuse(folder: Path, target: Path, **environment: str) -> list[dict[str, Any]]:
    """Export and make sure of what every refusal has in common; give the errors."""
    ended = export_json(folder, "--output-file", target, **environment)
    assert (ended.status, ended.stderr, ended.envelope["data"]) == (1, "", None)
    assert {path.name: path.read_bytes() for path in target.parent.iterdir()} == {target.name: b"old"}
    errors: list[dict[str, Any]] = ended.envelope["errors"]
    assert errors
    for error in errors:
        assert error["code"].startswith("E5")
        assert error["code"] not in {"E500_USAGE_ERROR", "E599_INTERNAL_ERROR"}
        assert error["location"] or error.get("file")
    return errors


PARSE, VARIABLE, ENVIRONMENT = "E501_PARSE_ERROR", "E502_ENV_VAR_ERROR", "E503_ENVIRONMENT_ERROR"
COMPILE, EXPORT = "E510_COMPILE_ERROR", "E506_OPENLINEAGE_INVALID"

# Each line holds the one before it nine times: ten billion words in all.
ALIAS_BOMB = "k0: &a0 [x, x]\n" + "".join(f"k{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 11))

CASES = {
    "empty file": ("", PARSE, None),
    "only comments": ("# nothing\n", PARSE, None),
    "a list": ("- a\n- b\n", PARSE, 1),
    "a word": ("hello\n", PARSE, 1),
    "two documents": (MINIMAL + "---\n" + MINIMAL, PARSE, None),
    "duplicate key": (MINIMAL + "sources: []\n", PARSE, None),
    "unknown key": (MINIMAL.replace("bootstrap_servers", "bootstrap_server"), PARSE, 6),
    "tab": (MINIMAL.replace("  name: shop", "\tname: shop"), PARSE, 3),
    "number for text": (MINIMAL.replace("name: shop", "name: shop\n  version: 1.10"), PARSE, 4),
    "bool for number": (with_models("  - name: m\n    topic: {partitions: true}\n"), PARSE, 14),
    "wrong api version": (MINIMAL.replace("v1alpha1", "v2"), PARSE, 1),
    "blank project name": (MINIMAL.replace("name: shop", 'name: " "'), PARSE, 3),
    "blank column name": (MINIMAL.replace("- name: id\nmodels", '- name: ""\nmodels'), PARSE, 11),
    "no bootstrap": (MINIMAL.replace("    bootstrap_servers: b:9092\n", "    {}\n"), PARSE, None),
    "bad topic name": (MINIMAL.replace("orders.v1", "orders/v1"), PARSE, 9),
    "same name twice": (MINIMAL.replace("name: paid", "name: orders"), PARSE, 13),
    "topic said twice": (
        with_models("  - name: m\n    topic: {name: a}\n    advanced: {topic: {name: b}}\n"), PARSE, None,
    ),
    "NUL in a name": (MINIMAL.replace("name: paid", 'name: "pa\\0id"'), PARSE, 13),
    "lone surrogate in a name": (MINIMAL.replace("name: paid", 'name: "pa\\ud800id"'), PARSE, 13),
    "looping anchor": ("a: &a\n  b: *a\n", PARSE, None),
    "alias bomb": (ALIAS_BOMB, PARSE, None),
    "deep nesting": ("a: " + "[" * 5000 + "]" * 5000 + "\n", PARSE, 1),
    "missing variable": (MINIMAL.replace("b:9092", "${KAFKA}"), VARIABLE, 6),
    "malformed variable": (MINIMAL.replace("b:9092", "${KAFKA"), VARIABLE, 6),
    "circle": (
        with_models("".join(f'  - name: {x}\n    sql: SELECT * FROM {{{{ ref("{y}") }}}}\n' for x, y in ("ab", "ba"))),
        COMPILE,
        None,
    ),
    "reads itself": (with_models('  - name: a\n    sql: SELECT * FROM {{ ref("a") }}\n'), COMPILE, None),
    "undeclared": (MINIMAL.replace('source("orders")', 'source("order")'), COMPILE, 14),
    "undefined in Jinja": (MINIMAL.replace('source("orders")', "orders"), COMPILE, 14),
    "Jinja syntax": (MINIMAL.replace('source("orders") }}', 'source("orders" }}'), COMPILE, 14),
    "Jinja opens a file": (MINIMAL.replace('{{ source("orders") }}', '{% include "/etc/passwd" %}'), COMPILE, 14),
    "Jinja reaches into Python": (MINIMAL.replace('source("orders")', "''.__class__.__mro__"), COMPILE, 14),
    "Jinja loops": (MINIMAL.replace('source("orders")', "range(10**12)"), COMPILE, 14),
    "Jinja loops in loops": (
        MINIMAL.replace(
            'SELECT id FROM {{ source("orders") }} WHERE id > 1',
            "'{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}'",
        ),
        COMPILE,
        14,
    ),
    "Jinja multiplies text": (MINIMAL.replace('source("orders")', "'a' * 10**10"), COMPILE, 14),
    "no macro": (with_models("  - name: a\n    macro: none\n"), COMPILE, None),
    "no statement": (with_models("  - name: a\n    sql: -- nothing\n"), COMPILE, 14),
    "two statements": (MINIMAL.replace("WHERE id > 1", "; SELECT 1"), COMPILE, 14),
    "unclosed quote": (MINIMAL.replace("WHERE id > 1", "WHERE id = 'x"), COMPILE, 14),
    "statement set": (
        with_models("  - name: a\n    sql: EXECUTE STATEMENT SET BEGIN SELECT 1; END\n"), COMPILE, 14,
    ),
    "virtual topic without gateway": (
        MINIMAL.replace("  - name: paid\n", "  - name: paid\n    materialized: virtual_topic\n"), COMPILE, None,
    ),
    "sql beside from": (
        MINIMAL.replace("  - name: paid\n", "  - name: paid\n    from: orders\n    materialized: flink\n"), None, None,
    ),
    "name that is no topic": (MINIMAL.replace("name: paid", "name: pa/id"), COMPILE, 13),
    "nothing declared": (HEAD.partition("sources:")[0], EXPORT, None),
    "one dataset declared twice": (
        MINIMAL.replace("name: paid", "name: paid\n    topic: {name: orders.v1}"), COMPILE, 14,
    ),
    "column declared twice": (
        MINIMAL.replace("- name: id\nmodels", "- name: id\n      - name: id\nmodels"), COMPILE, 12,
    ),
    "several brokers": (MINIMAL.replace("b:9092", "a:1,b:1"), EXPORT, 6),
    "password in an address": (MINIMAL.replace("b:9092", "u:hunter2@b:1"), EXPORT, 6),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_bad_project_is_refused(tmp_path: Path, target: Path, name: str) -> None:
    text, code, line = CASES[name]
    errors = refuse(write_project(tmp_path / "p", text), target)
    assert code in {None, errors[0]["code"]}
    assert line in {None, errors[0].get("line")}
    assert "hunter2" not in str(errors)


def test_all_errors_of_a_project_are_reported_at_once(tmp_path: Path, target: Path) -> None:
    text = MINIMAL.replace("name: shop", "nam: shop").replace("topic: orders.v1", "topic: 5").replace("sql:", "sq:")
    places = [(error["line"], error["column"]) for error in refuse(write_project(tmp_path / "p", text), target)]
    assert {line for line, _ in places} >= {3, 9, 14}
    assert places == sorted(places)


def test_binary_bytes_are_refused(tmp_path: Path, target: Path) -> None:
    folder = write_project(tmp_path / "p")
    (folder / "stream_project.yml").write_bytes(bytes(range(256)))
    refuse(folder, target)


def test_a_folder_named_like_the_project_file_is_refused(tmp_path: Path, target: Path) -> None:
    (tmp_path / "p" / "stream_project.yml").mkdir(parents=True)
    refuse(tmp_path / "p", target)


def test_a_link_that_loops_is_refused(tmp_path: Path, target: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "stream_project.yml").symlink_to("stream_project.yml")
    refuse(tmp_path / "p", target)


def test_a_folder_of_links_that_loop_ends(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "p", models__x="")
    (folder / "models" / "x").unlink()
    (folder / "models" / "again").symlink_to(folder / "models")
    assert export(folder).status in {0, 1}


def test_a_missing_project_is_refused(tmp_path: Path, target: Path) -> None:
    assert "does not exist" in refuse(tmp_path / "nowhere", target)[0]["message"]


def test_a_five_megabyte_description_is_carried_whole(tmp_path: Path) -> None:
    text = "é" * 2_500_000
    ended = export(
        write_project(tmp_path, MINIMAL.replace("topic: orders.v1", f"topic: orders.v1\n    description: {text}"))
    )
    described = [event["dataset"]["facets"].get("documentation") for event in ended.events if "dataset" in event]
    assert text in [each["description"] for each in described if each]


def test_an_unknown_environment_is_refused(tmp_path: Path, target: Path) -> None:
    text = MINIMAL.replace("runtime:\n  kafka:\n    bootstrap_servers: b:9092\n", "")
    environment = "environment: {name: dev}\nruntime: {kafka: {bootstrap_servers: 'b:9092'}}\n"
    folder = write_project(tmp_path / "p", text, **{"environments__dev.yml": environment})
    (error,) = refuse(folder, target, STREAMT_ENV="prod")
    assert error["code"] == ENVIRONMENT
    assert "dev" in str(error)


def test_an_unreadable_file_is_refused() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = write_project(Path(name) / "p")
        (folder / "stream_project.yml").chmod(0)
        done = without_root("--output", "json", "validate", "-p", folder)
    assert (done.status, done.codes, done.stderr) == (1, ["E501_PARSE_ERROR"], "")


@pytest.mark.parametrize(
    "made", ["ref('x_' ~ pw)", "ref(pw | upper)", "ref(pw[:4])", "params[pw | upper]", "ref(pw)", "params[pw[::-1]]"]
)
def test_what_a_macro_makes_of_a_variable_is_not_shown(tmp_path: Path, made: str) -> None:
    text = with_models('  - name: m\n    macro: x\n    params: {pw: "${PW}"}\n')
    folder = write_project(tmp_path, text, **{"macros__x.sql.j2": f"SELECT 1 FROM {{{{ {made} }}}}"})
    ended = export_json(folder, PW="hunter2xyz")
    assert ended.codes == ["E510_COMPILE_ERROR"]
    shown = ended.stdout.decode().lower()
    assert "hunt" not in shown
    assert "zyx2" not in shown


def test_a_control_character_in_a_variable_is_refused(tmp_path: Path, target: Path) -> None:
    text = MINIMAL.replace("name: paid", 'name: "paid${N}"')
    (error,) = refuse(write_project(tmp_path / "p", text, **{".env": b"N=a\x00\x1bb\n"}), target)
    assert error["code"] == VARIABLE
