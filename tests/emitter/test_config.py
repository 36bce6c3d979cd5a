"""The `lineage` block: off by default, strict, and never telling a value."""

from pathlib import Path

import pytest

from streamt.diagnostics import StreamtError
from streamt.emitter.config import KEYS, LineageConfig, TransportKind, read_config

URL = "http://localhost:5000/api/v1/lineage"


def problems(**values: object) -> list[str]:
    environ = {key: str(value) for key, value in values.items() if key.isupper()}
    block = {key: value for key, value in values.items() if not key.isupper()} or None
    with pytest.raises(StreamtError) as caught:
        read_config(environ, block=block)
    return [str(each) for each in caught.value.placed()]


def test_nothing_is_off() -> None:
    assert read_config({}) == LineageConfig()
    assert not LineageConfig().enabled


def test_a_whole_block() -> None:
    config = read_config(
        {},
        block={
            "enabled": True,
            "transport": "http",
            "url": URL,
            "api_key": "k",
            "namespace": "prod",
            "emit_dbt_datasets": False,
            "databricks": "unitycatalog",
            "timeout": "2s",
            "queue": 5,
            "close": 0.5,
        },
    )
    assert (config.enabled, config.namespace, config.emit_dbt_datasets) == (True, "prod", False)
    assert (config.timeout, config.queue, config.close, config.databricks) == (2.0, 5, 0.5, "unitycatalog")
    assert config.address is not None
    assert config.address.path == "/api/v1/lineage"
    assert "api_key" not in repr(config)


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_a_variable_too(key: str) -> None:
    values = {"enabled": "true", "url": URL, "timeout": "2.5", "queue": "7", "close": "3", "transport": "file"}
    more = {"STREAMT_LINEAGE_PATH": "e.jsonl", "STREAMT_LINEAGE_TRANSPORT": "file"}
    value = values.get(key, "true" if key in ("emit_dbt_datasets", "allow_insecure_http") else "databricks")
    read_config(more | {f"STREAMT_LINEAGE_{key.upper()}": value})


def test_a_variable_wins_over_the_block() -> None:
    assert read_config({"STREAMT_LINEAGE_NAMESPACE": "b"}, block={"namespace": "a"}).namespace == "b"


def test_the_block_wins_over_the_official_variables() -> None:
    official = {"OPENLINEAGE_URL": "http://localhost:1", "OPENLINEAGE_NAMESPACE": "b", "OPENLINEAGE_API_KEY": "x"}
    config = read_config(official, block={"enabled": True, "url": URL, "namespace": "a", "api_key": "y"})
    assert (config.namespace, config.api_key) == ("a", "y")
    assert config.address is not None
    assert config.address.port == 5000


@pytest.mark.parametrize(
    ("endpoint", "path"),
    [(None, "/api/v1/lineage"), ("api/v1/openlineage/lineage", "/api/v1/openlineage/lineage"), ("/x", "/x")],
)
def test_the_official_url_is_a_base(endpoint: str | None, path: str) -> None:
    environ = {"OPENLINEAGE_URL": "http://localhost:5000/"} | ({"OPENLINEAGE_ENDPOINT": endpoint} if endpoint else {})
    config = read_config(environ, enabled_by_destination=True)
    assert config.enabled
    assert config.address is not None
    assert config.address.path == path


def test_a_destination_alone_does_not_switch_a_scheduler_on() -> None:
    assert not read_config({"OPENLINEAGE_URL": "http://localhost:5000"}).enabled


def test_disabled_is_disabled() -> None:
    assert not read_config({"OPENLINEAGE_DISABLED": "TRUE"}, block={"enabled": True, "url": URL}).enabled
    assert not read_config({"STREAMT_LINEAGE_ENABLED": "false"}, block={"enabled": True, "url": URL}).enabled


def test_a_path_implies_a_file() -> None:
    config = read_config({}, block={"path": "x.jsonl"}, enabled_by_destination=True)
    assert (config.enabled, config.transport, config.path) == (True, TransportKind.FILE, Path("x.jsonl"))


def test_a_url_without_a_path_shows_both_spellings() -> None:
    (problem,) = problems(enabled=True, url="http://localhost:5000")
    assert "`url` has no path [lineage.url]" in problem
    assert "/api/v1/lineage" in problem
    assert "OPENLINEAGE_ENDPOINT" in problem


BAD: dict[str, tuple[dict[str, object], str]] = {
    "unknown key": ({"enabeld": True}, "unknown key `enabeld` in `lineage` [lineage.enabeld]\n    hint: did you mean"),
    "unknown variable": ({"STREAMT_LINEAGE_URI": "canary"}, "unknown variable `STREAMT_LINEAGE_URI`"),
    "not a boolean": ({"enabled": "canary"}, "`enabled` must be `true` or `false` [lineage.enabled]"),
    "a text for a boolean": ({"enabled": "true"}, "`enabled` must be `true` or `false`"),
    "unknown transport": ({"transport": "kafak"}, "`transport` must be one of `http`, `console`, `file`"),
    "no url": ({"enabled": True}, "`url` is missing [STREAMT_LINEAGE_URL]"),
    "no path": ({"transport": "file"}, "`path` is missing [STREAMT_LINEAGE_PATH]"),
    "a url for a path": ({"path": "s3://canary"}, "`path` must be a local file"),
    "user information": ({"enabled": True, "url": "http://me:canary@h/x"}, "must not hold a user name or a password"),
    "a query": ({"enabled": True, "url": "https://h/x?token=canary"}, "must not hold a query or a fragment"),
    "no address": ({"enabled": True, "url": "canary"}, "`url` must begin with"),
    "a number for a url": ({"enabled": True, "url": 1}, "`url` must be a text"),
    "plain http abroad": ({"enabled": True, "url": "http://om:8585/x"}, "plain `http://` to another machine"),
    "a key with a newline": ({"api_key": "canary\n"}, "`api_key` must be a text of printable ASCII"),
    "a blank namespace": ({"namespace": " "}, "`namespace` must be a text"),
    "no time": ({"timeout": 0}, "`timeout` must be a number of seconds above 0 and at most 60"),
    "too long": ({"timeout": 61}, "`timeout` must be"),
    "a boolean for a number": ({"timeout": True}, "`timeout` must be"),
    "an endless number": ({"timeout": "9" * 400}, "`timeout` must be"),
    "half a place": ({"queue": 1.5}, "`queue` must be a whole number above 0 and at most"),
    "a word for a number": ({"STREAMT_LINEAGE_QUEUE": "canary"}, "[STREAMT_LINEAGE_QUEUE]"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said_with_its_place_and_without_its_value(case: str) -> None:
    values, message = BAD[case]
    (problem,) = problems(**values)
    assert message in problem
    assert "canary" not in problem


def test_plain_http_abroad_is_allowed_where_somebody_says_so() -> None:
    block = {"enabled": True, "url": "http://om:8585/x", "api_key": "k", "allow_insecure_http": True}
    assert read_config({}, block=block).address is not None


def test_a_file_names_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.yml"
    file.write_text("workers: 3\nlineage:\n  enabled: true\n  urll: canary\n  timeout: 99\n")
    with pytest.raises(StreamtError) as caught:
        read_config({}, file=file)
    places = [(each.file, each.line, each.column) for each in caught.value.placed()]
    assert ("scheduler.yml", 4, 3) in places
    assert ("scheduler.yml", 5, 3) in places
    assert "canary" not in str(caught.value)


def test_a_file_switches_it_on(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.yml"
    file.write_text(f"lineage:\n  enabled: true\n  url: {URL}\n")
    assert read_config({}, file=file).enabled


@pytest.mark.parametrize("text", ["a: [", "workers: 3\n", "lineage: 3\n", "- x\n"])
def test_a_file_without_the_block_is_an_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "scheduler.yml"
    file.write_text(text)
    with pytest.raises(StreamtError):
        read_config({}, file=file)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StreamtError, match="cannot be read"):
        read_config({}, file=tmp_path / "no.yml")
