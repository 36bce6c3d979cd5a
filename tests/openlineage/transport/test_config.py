"""What the settings may say, and how each mistake is reported: by its place, never by its value."""

import itertools
import os
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamt.diagnostics import Code, PlacedDiagnostic, StreamtError
from streamt.net import Address
from streamt.openlineage.transport import FileSettings, HttpSettings, transport_from_environ
from streamt.openlineage.transport.settings import Auth, Retry

PREFIX = "OPENLINEAGE__TRANSPORT__"
SECRET = "S3CRET"
FILE = {PREFIX + "TYPE": "file", PREFIX + "LOG_FILE_PATH": "events.jsonl"}
HTTP = {
    PREFIX + "TYPE": "http",
    PREFIX + "URL": "https://lineage.example.com",
    PREFIX + "ENDPOINT": "api/v1/lineage",
}
WITH_KEY = HTTP | {PREFIX + "AUTH__TYPE": "api_key"}
LINEAGE = Address(secure=True, host="lineage.example.com", port=443, path="/")


def problems(environ: dict[str, str]) -> list[PlacedDiagnostic]:
    with pytest.raises(StreamtError) as error:
        transport_from_environ(environ)
    found = list(error.value.placed())
    assert {problem.code for problem in found} == {Code.OPENLINEAGE_INVALID}
    return found


class Config:
    """Writes the settings file that `OPENLINEAGE_CONFIG` names."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "openlineage.yml"

    def __call__(self, text: str | bytes) -> dict[str, str]:
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return {"OPENLINEAGE_CONFIG": str(self.path)}


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(tmp_path)


def http(environ: dict[str, str]) -> HttpSettings:
    result = transport_from_environ(environ)
    assert isinstance(result, HttpSettings)
    return result


def api_key(environ: dict[str, str]) -> str | None:
    auth = http(environ).auth
    return auth.api_key if auth else None


def path(environ: dict[str, str]) -> Path:
    result = transport_from_environ(environ)
    assert isinstance(result, FileSettings)
    return result.log_file_path


def test_a_file_from_variables() -> None:
    assert path(FILE) == Path("events.jsonl")


def test_http_from_variables_has_the_documented_defaults() -> None:
    settings = transport_from_environ(HTTP)
    assert settings == HttpSettings(url=LINEAGE, endpoint="api/v1/lineage")
    assert isinstance(settings, HttpSettings)
    assert (settings.timeout, settings.retry.total, settings.auth) == (5.0, 1, None)
    assert (settings.compression, settings.ca_file, settings.allow_insecure_http) == (None, None, False)


def test_http_from_yaml_takes_all_its_keys(config: Config) -> None:
    text = """
        transport:
          type: http
          url: https://lineage.example.com:8443/base/
          endpoint: openapi/openlineage/api/v1/lineage
          timeout: 2.5
          retry: {total: 0}
          auth: {type: api_key, apiKey: 0123}
          compression: gzip
          verify: true
          allow_insecure_http: false
    """
    assert http(config(text)) == HttpSettings(
        url=Address(secure=True, host="lineage.example.com", port=8443, path="/base/"),
        endpoint="openapi/openlineage/api/v1/lineage",
        timeout=2.5,
        retry=Retry(total=0),
        auth=Auth(type="api_key", api_key="0123"),
        compression="gzip",
    )


EXACT = [
    "0123",
    "1e5",
    "null",
    "{x}",
    "true",
    "no",
    "~",
    "0x1F",
    "1_000",
    "12:30",
    "2026-11-30",
    "{",
    "[1]",
    "a: b",
    "NaN",
]


@pytest.mark.parametrize("key", EXACT)
def test_an_api_key_in_a_variable_is_the_exact_string(key: str) -> None:
    assert api_key(WITH_KEY | {PREFIX + "AUTH__APIKEY": key}) == key


@pytest.mark.parametrize("key", [key for key in EXACT if key[0] not in "{[" and ": " not in key])
def test_an_unquoted_api_key_in_yaml_is_the_exact_string(config: Config, key: str) -> None:
    text = f"transport: {{type: http, url: 'https://a', endpoint: a, auth: {{type: api_key, apiKey: {key}}}}}"
    assert api_key(config(text)) == key


@pytest.mark.parametrize("key", EXACT)
def test_a_quoted_api_key_in_yaml_is_the_exact_string(config: Config, key: str) -> None:
    text = (
        f"transport:\n  type: http\n  url: https://a\n  endpoint: a\n  auth:\n    type: api_key\n    apiKey: '{key}'\n"
    )
    assert api_key(config(text)) == key


@pytest.mark.parametrize("name", ["APIKEY", "API_KEY", "apiKey", "api_key", "ApiKey"])
def test_a_name_may_be_spelled_as_the_official_client_spells_it(name: str) -> None:
    assert api_key(WITH_KEY | {f"{PREFIX}AUTH__{name}": "k"}) == "k"


def test_lower_case_parts_belong_to_the_same_group() -> None:
    mixed = {
        "OPENLINEAGE__transport__type": "http",
        PREFIX + "url": "https://lineage.example.com",
        PREFIX + "Endpoint": "api/v1/lineage",
    }
    assert transport_from_environ(mixed) == transport_from_environ(HTTP)


@pytest.mark.parametrize(
    "value",
    [
        (
            '{"type": "http", "url": "https://lineage.example.com", "endpoint": "api/v1/lineage",'
            ' "timeout": 2.5, "retry": {"total": 0}}'
        ),
        (
            '{"type": "http", "url": "https://lineage.example.com", "endpoint": "api/v1/lineage",'
            ' "timeout": "2.5", "retry": {"total": "0"}}'
        ),
    ],
)
def test_the_whole_transport_may_be_one_json_object(value: str) -> None:
    assert transport_from_environ({"OPENLINEAGE__TRANSPORT": value}) == HttpSettings(
        url=LINEAGE, endpoint="api/v1/lineage", timeout=2.5, retry=Retry(total=0)
    )


def test_a_group_may_be_a_json_object() -> None:
    assert api_key(HTTP | {PREFIX + "AUTH": '{"type": "api_key", "apiKey": "0123"}'}) == "0123"


def test_a_variable_overrides_the_same_key_of_the_file(config: Config) -> None:
    environ = config("transport: {type: http, url: 'https://a', endpoint: a, auth: {type: api_key, apiKey: old}}")
    changed = environ | {PREFIX + "AUTH__API_KEY": "new"}
    assert (http(changed).url.host, api_key(changed)) == ("a", "new")


def test_an_empty_variable_overrides_too(config: Config) -> None:
    environ = config("transport: {type: http, url: 'https://a', endpoint: a}") | {PREFIX + "URL": ""}
    assert [problem.location for problem in problems(environ)] == [PREFIX + "URL"]


def test_an_empty_config_variable_is_no_config() -> None:
    assert path(FILE | {"OPENLINEAGE_CONFIG": ""}) == Path("events.jsonl")


def test_an_own_authority_is_taken_from_the_environment() -> None:
    assert http(HTTP | {"SSL_CERT_FILE": "ca.pem"}).ca_file == Path("ca.pem")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST", "[::1]"])
def test_plain_http_with_a_key_is_fine_on_loopback(host: str) -> None:
    assert api_key(WITH_KEY | {PREFIX + "URL": f"http://{host}:5000", PREFIX + "AUTH__API_KEY": "k"}) == "k"


def test_plain_http_elsewhere_can_be_allowed() -> None:
    allowed = {PREFIX + "URL": "http://marquez:5000", PREFIX + "ALLOW_INSECURE_HTTP": "true"}
    assert http(HTTP | allowed).url == Address(secure=False, host="marquez", port=5000, path="/")


@pytest.mark.parametrize("host", ["marquez", "127.0.0.1.example.com", "localhost.example.com", "10.0.0.1", "127.1"])
def test_plain_http_elsewhere_is_refused(host: str) -> None:
    (problem,) = problems(HTTP | {PREFIX + "URL": f"http://{host}"})
    assert (problem.location, problem.message) == (PREFIX + "URL", "`url` is plain `http://` to another machine")


def test_a_key_never_goes_over_plain_http_to_another_machine() -> None:
    allowed = {PREFIX + "URL": "http://marquez", PREFIX + "ALLOW_INSECURE_HTTP": "true", PREFIX + "AUTH__API_KEY": "k"}
    assert [problem.location for problem in problems(WITH_KEY | allowed)] == [PREFIX + "AUTH__API_KEY"]


class Bad(NamedTuple):
    """A set of variables with one mistake: where it is reported, and a part of the message and the hint."""

    environ: dict[str, str]
    location: str
    message: str
    hint: str = ""


def one(key: str, value: str, message: str, hint: str = "", base: dict[str, str] = HTTP) -> Bad:
    return Bad(base | {PREFIX + key: value}, PREFIX + key, message, hint)


def unsupported(name: str, hint: str, value: str = SECRET) -> Bad:
    return Bad(HTTP | {name: value}, name, f"the variable `{name}` is not supported", hint)


def in_json(value: str, message: str, hint: str = "") -> Bad:
    return Bad({"OPENLINEAGE__TRANSPORT": value}, "OPENLINEAGE__TRANSPORT", message, hint)


BAD = [
    Bad({}, PREFIX + "TYPE", "no OpenLineage transport is set up", "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH="),
    Bad({PREFIX + "URL": "https://a"}, PREFIX + "TYPE", "`type` is missing", "`file` or `http`"),
    Bad({PREFIX + "TYPE": "http", PREFIX + "ENDPOINT": "a"}, PREFIX + "URL", "`url` is missing"),
    Bad({PREFIX + "TYPE": "file"}, PREFIX + "LOG_FILE_PATH", "`log_file_path` is missing"),
    Bad(WITH_KEY, PREFIX + "AUTH__API_KEY", "`auth.apiKey` is missing"),
    Bad(HTTP | {PREFIX + "AUTH__APIKEY": SECRET}, PREFIX + "AUTH__TYPE", "`auth.type` is missing", "`api_key`"),
    # Unknown names.
    Bad({PREFIX + "TYP": "file"}, PREFIX + "TYP", "unknown variable", f"did you mean `{PREFIX}TYPE`?"),
    one("URI", SECRET, f"unknown variable `{PREFIX}URI`", f"did you mean `{PREFIX}URL`?"),
    one(
        "AUTH__APIKY",
        SECRET,
        "unknown variable",
        f"did you mean `{PREFIX}AUTH__API_KEY`?",
        WITH_KEY | {PREFIX + "AUTH__API_KEY": "k"},
    ),
    one("RETRY__TOTALS", "1", "unknown variable", f"did you mean `{PREFIX}RETRY__TOTAL`?"),
    one("ZZZ", SECRET, "unknown variable", "`url`"),
    one("URL__HOST", SECRET, "`url` must be one value", base={PREFIX + "TYPE": "file", PREFIX + "LOG_FILE_PATH": "x"}),
    Bad(
        HTTP | {"OPENLINEAGE__TRANSPRT__URL": SECRET},
        "OPENLINEAGE__TRANSPRT__URL",
        "unknown variable",
        f"did you mean `{PREFIX}URL`?",
    ),
    Bad(
        HTTP | {"OPENLINEAGE_TRANSPORT__URL": SECRET},
        "OPENLINEAGE_TRANSPORT__URL",
        "unknown variable",
        f"did you mean `{PREFIX}URL`?",
    ),
    Bad(HTTP | {"OPENLINEAGE_CONFG": SECRET}, "OPENLINEAGE_CONFG", "unknown variable", "`OPENLINEAGE_CONFIG`?"),
    Bad(HTTP | {"OPENLINEAGE__": SECRET}, "OPENLINEAGE__", "unknown variable"),
    one("AUTH__", SECRET, "unknown variable"),
    one("A__B__C__D__E__F", SECRET, "unknown variable"),
    # What the official client knows, and we do not.
    unsupported("OPENLINEAGE_URL", f"{PREFIX}URL"),
    unsupported("OPENLINEAGE_API_KEY", f"{PREFIX}AUTH__API_KEY"),
    unsupported("OPENLINEAGE_ENDPOINT", f"{PREFIX}ENDPOINT"),
    unsupported("OPENLINEAGE_CLIENT_LOGGING", "unset"),
    unsupported("OPENLINEAGE__FACETS__ENVIRONMENT_VARIABLES", "byte for byte"),
    unsupported("OPENLINEAGE__FILTERS", "leave it out", '[{"type": "exact", "match": "S3CRET"}]'),
    unsupported("OPENLINEAGE__TAGS__JOB", "byte for byte"),
    unsupported("OPENLINEAGE__DATASET__NAMESPACE_MAPPING", "leave it out"),
    unsupported(PREFIX + "CUSTOM_HEADERS__X", "auth"),
    unsupported(PREFIX + "TRANSPORTS__A__TYPE", "one transport"),
    unsupported(PREFIX + "SSLCONTEXT__CACERTPATH", "SSL_CERT_FILE"),
    unsupported(PREFIX + "RETRY__BACKOFF_FACTOR", "`retry.total`"),
    unsupported(PREFIX + "AUTH__TOKENENDPOINT", "api_key"),
    *(
        Bad({PREFIX + "TYPE": kind}, PREFIX + "TYPE", f"the transport `{kind}` is not supported", hint)
        for kind, hint in {
            "console": "type: file",
            "noop": "--emit-openlineage",
            "kafka": "type: http",
            "msk-iam": "type: http",
            "composite": "one transport",
            "async_http": "type: http",
            "transform": "type: http",
            "amazon_datazone_api": "type: http",
            "datadog": "type: http",
            "gcplineage": "type: http",
            "gcs": "type: file",
            "s3": "type: file",
        }.items()
    ),
    Bad({PREFIX + "TYPE": "htp"}, PREFIX + "TYPE", "`type` must be", "did you mean `http`?"),
    Bad({PREFIX + "TYPE": "a.module.S3CRET"}, PREFIX + "TYPE", "`type` must be"),
    one("AUTH__TYPE", "jwt", "`auth.type` `jwt` is not supported", "api_key", HTTP | {PREFIX + "AUTH__APIKEY": "k"}),
    one("AUTH__TYPE", "my.S3CRET", "`auth.type` must be `api_key`", "", HTTP | {PREFIX + "AUTH__APIKEY": "k"}),
    Bad(HTTP | {"OPENLINEAGE_DISABLED": " True "}, "OPENLINEAGE_DISABLED", "forbids what --emit-openlineage asks for"),
    Bad(HTTP | {"OPENLINEAGE_DISABLED": SECRET}, "OPENLINEAGE_DISABLED", "must be `true` or `false`"),
    # Conflicts.
    Bad(HTTP | {"OPENLINEAGE__TRANSPORT": "{}"}, "OPENLINEAGE__TRANSPORT", f"beside `{PREFIX}ENDPOINT`", "unset"),
    one("AUTH", SECRET, f"stands beside `{PREFIX}AUTH__APIKEY`", base=WITH_KEY | {PREFIX + "AUTH__APIKEY": "k"}),
    one("AUTH__API_KEY", "b", "two spellings", base=WITH_KEY | {PREFIX + "AUTH__APIKEY": "a"}),
    one("url", "https://b", "two spellings"),
    one("LOG_FILE_PATH", SECRET, "`log_file_path` is a setting of the `file` transport", "change `type`"),
    one("URL", "https://a", "`url` is a setting of the `http` transport", base=FILE),
    # Values.
    *(
        one("TIMEOUT", value, "`timeout` must be a number")
        for value in ["0", "5.1", "-1", "nan", "inf", "1e0", "", "S3CRET", "9" * 400]
    ),
    *(one("RETRY__TOTAL", value, "`retry.total` must be 0 or 1") for value in ["2", "-1", "true", "", SECRET]),
    *(one("VERIFY", value, "`verify` must be `true`", "SSL_CERT_FILE") for value in ["false", "0", "/S3CRET.pem", ""]),
    *(one("COMPRESSION", value, "`compression` must be `gzip`") for value in ["GZIP", "zstd", "", SECRET]),
    one("ALLOW_INSECURE_HTTP", "yes", "`allow_insecure_http` must be `true` or `false`"),
    one("APPEND", "false", "`append` must be `true`", "leave it out", FILE),
    *(
        one("LOG_FILE_PATH", value, "`log_file_path` must be a local path", base=FILE)
        for value in ["", " ", "s3://S3CRET", "file:///S3CRET", "a\0b"]
    ),
    *(
        one("AUTH__API_KEY", value, "`auth.apiKey` must be printable ASCII", base=WITH_KEY)
        for value in ["", " k", "k\n", "k\r\nX: S3CRET", "kéy", "\udcff"]
    ),
    # Addresses.
    *(
        one("URL", value, "`url` must not hold a user name")
        for value in ["https://S3CRET@a", "https://u:S3CRET@a:1", "https://@a"]
    ),
    *(
        one("URL", value, "`url` must not hold a query")
        for value in ["https://a?k=S3CRET", "https://a/#S3CRET", "https://a?"]
    ),
    *(
        one("URL", value, "`url` must be an address of printable ASCII")
        for value in ["", " https://a", "https://a\n", "https://é"]
    ),
    *(
        one("URL", value, "`url` must begin with `https://`")
        for value in ["a:443", "ftp://a", "//a", "lineage.example.com", "unix:///a"]
    ),
    *(
        one("URL", value, "`url` must hold a host name")
        for value in [
            "https://",
            "https://:443",
            "https://-a",
            "https://a..b",
            "https://a:0",
            "https://a_%41",
            "https://[v1.a]",
            "https://" + "a" * 64,
        ]
    ),
    *(
        one("URL", value, "`url` is not an address")
        for value in ["https://a:x", "https://a:99999", "https://[::1", "https://[S3CRET]"]
    ),
    one("URL", "https://a/S3CRET", "`url` must end with `/`", "move the path to `endpoint`"),
    *(
        one("URL", value, "`url` must be a plain path")
        for value in ["https://a/../b/", "https://a//b/", "https://a/%zz/"]
    ),
    *(
        one("ENDPOINT", value, "`endpoint` must be a plain path")
        for value in ["a?k=S3CRET", "a#b", "a b", "../a", "//S3CRET/a", "a/./b", "a\\b", "a\r\nb", "é"]
    ),
    # JSON.
    *(
        in_json(value, "`transport` must be a JSON object")
        for value in [
            "",
            "http",
            "[]",
            "null",
            '"S3CRET"',
            "{'type': 'S3CRET'}",
            '{"timeout": NaN}',
            '{"a":' * 3000,
            "[" * 99999,
        ]
    ),
    *(
        in_json(f'{{"type": "http", "url": "https://a", "endpoint": "a", {part}}}', message, hint)
        for part, message, hint in [
            ('"S3CRET": 1', "unknown key in this value", ""),
            ('"timout": 1', "unknown key in this value", "did you mean `timeout`?"),
            ('"url": "https://S3CRET"', "gives `url` a second time", ""),
            ('"custom_headers": {"S3CRET": 1}', "`custom_headers` is not supported", "auth"),
            ('"auth": {"type": "api_key", "apiKey": 123}', "`auth.apiKey` must be a JSON string", "quotes"),
            ('"retry": [1]', "`retry` must be a group", "`total`"),
            ('"retry": {"total": true}', "`retry.total` must be 0 or 1", ""),
        ]
    ),
    *(
        in_json(f'{{"type": "http", "url": "https://a", "endpoint": {value}}}', message)
        for value, message in [
            ("null", "`endpoint` must be a JSON string"),
            ('["S3CRET"]', "`endpoint` must be one value"),
        ]
    ),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.location[13:]}-{bad.message[:30]}")
def test_a_mistake_is_reported_where_it_stands(bad: Bad) -> None:
    (problem,) = problems(bad.environ)
    assert problem.location == bad.location
    assert bad.message in problem.message
    assert bad.hint in (problem.hint or "")


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.location[13:]}-{bad.message[:30]}")
def test_a_mistake_is_reported_without_its_value(bad: Bad) -> None:
    assert SECRET not in "".join(str(problem) for problem in problems(bad.environ))


def test_variables_of_other_tools_are_let_be() -> None:
    others = {
        "OPENLINEAGE_NAMESPACE": "prod",
        "OPENLINEAGE_PARENT_ID": "x",
        "OPENLINEAGE_DISABLED": "false",
        "openlineage_url": "x",
    }
    assert path(FILE | others | {"OPENLINEAGE_URL": ""}) == Path("events.jsonl")


WRITE_ENDPOINT = "write the path below `url` as the backend's page says, `api/v1/lineage` for Marquez"
MISSING_ENDPOINT = ("`endpoint` is missing", WRITE_ENDPOINT)


def test_leaving_out_the_endpoint_among_variables_is_an_error_at_its_variable() -> None:
    (problem,) = problems({name: value for name, value in HTTP.items() if name != PREFIX + "ENDPOINT"})
    assert (problem.location, problem.file) == (PREFIX + "ENDPOINT", None)
    assert (problem.message, problem.hint) == MISSING_ENDPOINT


def test_leaving_out_the_endpoint_in_a_file_is_an_error_at_the_file(config: Config) -> None:
    (problem,) = problems(config("transport: {type: http, url: 'https://a'}"))
    assert (problem.location, problem.file) == ("OPENLINEAGE_CONFIG", "openlineage.yml")
    assert (problem.message, problem.hint) == MISSING_ENDPOINT


def test_an_empty_endpoint_is_refused_like_a_missing_one() -> None:
    (problem,) = problems(HTTP | {PREFIX + "ENDPOINT": ""})
    assert (problem.location, problem.file) == (PREFIX + "ENDPOINT", None)
    assert (problem.message, problem.hint) == ("`endpoint` is empty", WRITE_ENDPOINT)


@pytest.mark.parametrize("environ", [{}, {"OPENLINEAGE_URL": "https://a"}])
def test_who_is_told_to_set_the_address_is_told_to_set_the_endpoint(environ: dict[str, str]) -> None:
    hints = [problem.hint or "" for problem in problems(environ)]
    assert all(PREFIX + "ENDPOINT=" in hint for hint in hints if PREFIX + "URL=" in hint)
    assert any(PREFIX + "ENDPOINT=" in hint for hint in hints)


def test_all_problems_come_at_once() -> None:
    environ = {
        "OPENLINEAGE_URL": "x",
        PREFIX + "TYPE": "http",
        PREFIX + "URL": "ftp://a",
        PREFIX + "ENDPOINT": "a",
        PREFIX + "TIMEOUT": "9",
        PREFIX + "RETRY__TOTAL": "7",
        PREFIX + "AUTH__TYPE": "api_key",
        PREFIX + "ZZZ": "x",
    }
    assert sorted(problem.location for problem in problems(environ)) == [
        "OPENLINEAGE_URL",
        PREFIX + "AUTH__API_KEY",
        PREFIX + "RETRY__TOTAL",
        PREFIX + "TIMEOUT",
        PREFIX + "URL",
        PREFIX + "ZZZ",
    ]


class BadFile(NamedTuple):
    """A settings file with one mistake: its line and column, and a part of the message and the hint."""

    text: str | bytes
    line: int | None
    column: int | None
    message: str
    hint: str = ""


NO_ENDPOINT = "transport:\n  type: http\n  url: https://a\n"
HEAD = NO_ENDPOINT + "  endpoint: a\n"
BAD_FILES = [
    BadFile(HEAD + "  timeout: 9\n", 5, 12, "`timeout` must be"),
    BadFile(HEAD + "  ur1: S3CRET\n", 5, 3, "unknown key `transport.ur1`", "did you mean `url`?"),
    BadFile(HEAD + "  ? S3 CRET!\n  : S3CRET\n", 5, 5, "unknown key", "allowed here"),
    BadFile(HEAD + "  custom_headers: {X: S3CRET}\n", 5, 3, "`transport.custom_headers` is not supported", "auth"),
    BadFile(HEAD + "facets: {a: [b, {c: S3CRET}]}\n", 5, 1, "`facets` is not supported", "byte for byte"),
    BadFile(HEAD + "filters:\n  - type: exact\n", 5, 1, "`filters` is not supported"),
    BadFile(HEAD + "tags: {}\n", 5, 1, "`tags` is not supported"),
    BadFile(HEAD + "  url: https://S3CRET\n", 5, 3, "duplicate key `url`; first defined at line 3"),
    BadFile(HEAD + "  auth: {type: api_key, apiKey: k, api_key: S3CRET}\n", 5, 36, "gives `apiKey` a second time"),
    BadFile(HEAD + '  auth: \'{"type": "api_key"}\'\n', 5, 9, "`auth` must be a group"),
    BadFile(HEAD + "  auth:\n", 5, 3, "`auth` must be a group", "`apiKey`"),
    BadFile(NO_ENDPOINT + "  endpoint: [S3CRET]\n", 4, 13, "`endpoint` must be one value"),
    BadFile(HEAD + "  timeout: *S3CRET\n", 5, 12, "alias without an anchor"),
    BadFile("!!python/object:S3CRET {}\n", 1, 1, "unsupported YAML tag"),
    BadFile(HEAD + "  ? [S3CRET]\n  : x\n", 5, 5, "a mapping or a list cannot be a key"),
    BadFile(HEAD + "---\na: b\n", 5, 1, "second YAML document"),
    BadFile(HEAD + "  : : S3CRET: x: [\n", 5, 3, "missing key"),
    BadFile("transport: {type: S3CRET", 2, 1, "missing `,` or `}`"),
    BadFile(NO_ENDPOINT + "\tendpoint: S3CRET\n", 4, 1, "tab used as indentation"),
    BadFile("a: \x07S3CRET\n", 1, 4, "U+0007 is not allowed"),
    BadFile("- transport\n", 1, 1, "must hold keys"),
    BadFile("S3CRET\n", 1, 1, "must hold keys"),
    BadFile("a: " + "[" * 200 + "]" * 200, 1, 104, "nested more than 100 levels deep"),
    BadFile("transport: {}\n" + "# S3CRET\n" * 9000, None, None, "larger than 64 KiB"),
    BadFile(b"transport: \xff\n", 1, 12, "not UTF-8"),
    BadFile("transport:\n  type: http\n  endpoint: a\n", None, None, "`url` is missing"),
]


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad.message)
def test_a_mistake_in_the_file_is_reported_by_line_and_column(config: Config, bad: BadFile) -> None:
    (problem,) = problems(config(bad.text))
    assert (problem.location, problem.line, problem.column) == ("OPENLINEAGE_CONFIG", bad.line, bad.column)
    assert bad.message in problem.message
    assert bad.hint in (problem.hint or "")


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad.message)
def test_a_mistake_in_the_file_is_reported_without_its_value(config: Config, bad: BadFile) -> None:
    assert SECRET not in "".join(str(problem) for problem in problems(config(bad.text)))


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "\ufeff", "transport: {}\n"])
def test_a_file_without_settings_is_no_transport(config: Config, text: str) -> None:
    (problem,) = problems(config(text))
    assert "no OpenLineage transport is set up" in problem.message


def test_a_byte_order_mark_is_fine(config: Config) -> None:
    assert path(config("\ufefftransport: {type: file, log_file_path: a}")) == Path("a")


def test_a_link_to_the_file_is_fine(config: Config, tmp_path: Path) -> None:
    config("transport: {type: file, log_file_path: a}")
    (tmp_path / "link.yml").symlink_to(config.path)
    environ = {"OPENLINEAGE_CONFIG": str(tmp_path / "link.yml")}
    assert path(environ) == Path("a")


@pytest.mark.parametrize(
    "make",
    [lambda path: None, Path.mkdir, os.mkfifo, lambda path: path.symlink_to(path)],
    ids=["missing", "folder", "pipe", "circle"],
)
def test_a_file_that_cannot_be_read_is_one_error_and_no_fallback(tmp_path: Path, make: object) -> None:
    path = tmp_path / SECRET
    assert callable(make)
    make(path)
    (problem,) = problems({"OPENLINEAGE_CONFIG": str(path)})
    assert (problem.location, SECRET in str(problem)) == ("OPENLINEAGE_CONFIG", False)
    assert "cannot be read" in problem.message


def test_a_nul_in_the_path_is_an_error() -> None:
    assert "cannot be read" in problems({"OPENLINEAGE_CONFIG": "a\0b"})[0].message


def test_openlineage_yml_in_the_current_folder_is_not_read(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    config("transport: {type: file, log_file_path: a}")
    monkeypatch.chdir(config.path.parent)
    assert "no OpenLineage transport is set up" in problems({})[0].message


def test_the_pure_python_reader_gives_the_same_places(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yaml.__with_libyaml__", False)
    (problem,) = problems(config(HEAD + "  timeout: 9\n"))
    assert (problem.line, problem.column) == (5, 12)


def test_what_identifies_an_account_is_not_in_a_repr() -> None:
    environ = WITH_KEY | {
        PREFIX + "URL": f"https://{SECRET}.example.com",
        PREFIX + "ENDPOINT": SECRET,
        PREFIX + "AUTH__API_KEY": SECRET,
    }
    assert SECRET not in repr(transport_from_environ(environ))


VALUES = st.text(st.characters(min_codepoint=1, max_codepoint=0x2FF), min_size=6, max_size=30)
NAMES = [
    "TYPE",
    "URL",
    "ENDPOINT",
    "TIMEOUT",
    "RETRY",
    "RETRY__TOTAL",
    "AUTH__TYPE",
    "AUTH__APIKEY",
    "AUTH",
    "VERIFY",
    "COMPRESSION",
    "LOG_FILE_PATH",
    "ZZZ",
    "CUSTOM_HEADERS",
]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(NAMES), VALUES, min_size=1), st.sampled_from(["file", "http", ""]))
def test_no_value_is_ever_in_an_error(values: dict[str, str], kind: str) -> None:
    marked = {PREFIX + name: f"{SECRET}{value}{SECRET}" for name, value in values.items()}
    try:
        transport_from_environ(marked | ({PREFIX + "TYPE": kind} if kind else {}))
    except StreamtError as error:
        texts = [str(error), repr(error), *(str(problem.as_dict()) for problem in error.placed())]
        assert [text for text in texts if SECRET in text] == []


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.from_regex(r"[!-~]([ -~]*[!-~])?", fullmatch=True))
def test_any_printable_key_comes_back_to_the_letter_from_everywhere(config: Config, key: str) -> None:
    quoted = key.replace("'", "''")
    as_yaml = config(
        f"transport: {{type: http, url: 'https://a', endpoint: a, auth: {{type: api_key, apiKey: '{quoted}'}}}}"
    )
    as_variable = WITH_KEY | {PREFIX + "AUTH__API_KEY": key}
    assert [api_key(environ) for environ in (as_yaml, as_variable)] == [key, key]


def test_the_order_of_the_environment_does_not_matter() -> None:
    environ = {PREFIX + "URI": "x", PREFIX + "ENDPIONT": "y", "OPENLINEAGE_URL": "z"}
    orders = [dict(order) for order in itertools.permutations(environ.items())]
    assert len({tuple(map(str, problems(order))) for order in orders}) == 1
