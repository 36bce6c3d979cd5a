"""Namespaces and names: exact, unambiguous, and never a password."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.diagnostics import Code, Option, ProjectPath, StreamtError, Variable
from streamt.openlineage.identity import (
    Bootstrap,
    NamespaceOptions,
    Namespaces,
    NamespaceSource,
    command_job_name,
    dataset_namespace,
    job_namespace,
    model_job_name,
    resolve_namespaces,
)

LOCATION = ProjectPath(("runtime", "kafka", "bootstrap_servers"), dotted=True)
GATEWAY = ProjectPath(("runtime", "conduktor", "gateway", "proxy_bootstrap"), dotted=True)


def derive(servers: object) -> str | None:
    source = NamespaceSource("kafka_namespace", None, "KAFKA", {})
    return dataset_namespace(source, Bootstrap(servers, LOCATION))  # type: ignore[arg-type]  # a table of raw values


def give(value: str) -> str | None:
    return dataset_namespace(NamespaceSource("kafka_namespace", value, "KAFKA", {}), Bootstrap(None, LOCATION))


@pytest.mark.parametrize(
    ("servers", "namespace"),
    [
        ("b1:9092", "kafka://b1:9092"),
        (" b1:9092 ", "kafka://b1:9092"),
        ("\tb1:9092\n", "kafka://b1:9092"),
        ("b1:9092,", "kafka://b1:9092"),
        (["b1:9092"], "kafka://b1:9092"),
        (("b1:9092", ""), "kafka://b1:9092"),
        ("[2001:db8::1]:9092", "kafka://[2001:db8::1]:9092"),
        ("127.0.0.1:65535", "kafka://127.0.0.1:65535"),
        ("Broker-1.EXAMPLE.com:443", "kafka://Broker-1.EXAMPLE.com:443"),
        ("my_broker:1", "kafka://my_broker:1"),
    ],
)
def test_one_endpoint_gives_its_namespace(servers: object, namespace: str) -> None:
    assert derive(servers) == namespace


@pytest.mark.parametrize(
    ("servers", "problem", "hint"),
    [
        (None, "no address", "kafka://HOST:PORT"),
        ("", "no address", "kafka://HOST:PORT"),
        (" , ", "no address", "kafka://HOST:PORT"),
        ([], "no address", "kafka://HOST:PORT"),
        ("b1:9092,b2:9092", "2 addresses", "kafka://HOST:PORT"),
        ("b1:9092,b1:9092", "2 addresses", "kafka://HOST:PORT"),
        (["b1:9092,b2:9092"], "2 addresses", "kafka://HOST:PORT"),
        ("SASL_SSL://b:9093", "protocol", "kafka://b:9093"),
        ("PLAINTEXT://[::1]:9093", "protocol", "kafka://[::1]:9093"),
        ("kafka://b:9093", "protocol", "kafka://b:9093"),
        ("user:pw@b:9092", "user information", "kafka://b:9092"),
        ("SASL_SSL://user:p@ss@b:9092", "user information", "kafka://b:9092"),
        ("b", "not one host:port", "kafka://HOST:PORT"),
        ("b:", "not one host:port", "kafka://HOST:PORT"),
        (":9092", "not one host:port", "kafka://HOST:PORT"),
        ("b:port", "not one host:port", "kafka://HOST:PORT"),
        ("b1:9092 b2:9092", "not one host:port", "kafka://HOST:PORT"),
        ("b1:9092;b2:9092", "not one host:port", "kafka://HOST:PORT"),
        ("2001:db8::1:9092", "not one host:port", "kafka://HOST:PORT"),
        ("[2001:db8::zz]:9092", "not one host:port", "kafka://HOST:PORT"),
        ("[2001:db8:::1]:9092", "no IPv6 address", "kafka://HOST:PORT"),
        ("[1.2.3.4]:9092", "no IPv6 address", "kafka://HOST:PORT"),
        ("b:0", "port", "kafka://HOST:PORT"),
        ("b:65536", "port", "kafka://HOST:PORT"),
        ("b:09092", "port", "kafka://HOST:PORT"),
        ("b:" + "9" * 5000, "port", "kafka://HOST:PORT"),
        ("b:٩٠٩٢", "not one host:port", "kafka://HOST:PORT"),
        ("b:9092/", "path", "kafka://b:9092"),
        ("b:9092?x=1", "path", "kafka://HOST:PORT"),
        ("bröker:9092", "not one host:port", "kafka://HOST:PORT"),
    ],
)
def test_another_address_is_an_error_that_shows_what_to_write(servers: object, problem: str, hint: str) -> None:
    with pytest.raises(StreamtError) as caught:
        derive(servers)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code is Code.OPENLINEAGE_INVALID
    assert diagnostic.location == LOCATION
    assert problem in diagnostic.message
    assert hint in (diagnostic.hint or "")


@pytest.mark.parametrize("value", ["kafka://b:9092", "kafka://EXAMPLE.com:443", "kafka://[2001:DB8::1]:9092"])
def test_a_given_namespace_keeps_its_spelling(value: str) -> None:
    assert give(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "", " ", "b:9092", "KAFKA://b:9092", "kafka:/b:9092", "kafka://b", "kafka://b:9092/", "kafka://b:9092/x", "kafka://b:9092?x",
        "kafka://b:9092#x", "kafka://u@b:9092", "kafka://u:p@b:9092", "kafka://a:1,b:2", " kafka://b:9092", "kafka://b:9092\n",
        "kafka://b:0", "kafka://b:99999", "kafka://b%41:9092", "http://b:9092", "kafka://", "kafka://:9092", "kafka://b\x00:9092",
    ],
)  # fmt: skip
def test_a_malformed_namespace_is_refused(value: str) -> None:
    with pytest.raises(StreamtError) as caught:
        give(value)
    assert caught.value.diagnostics[0].location == Option("kafka_namespace")
    assert "kafka://" in (caught.value.diagnostics[0].hint or "")


PASSWORDS = st.text(min_size=1, alphabet=st.characters(codec="utf-8", exclude_characters="@")).map("~{}~".format)


@given(PASSWORDS)
def test_a_password_never_shows(password: str) -> None:
    with pytest.raises(StreamtError) as derived:
        derive(f"user:{password}@b:9092")
    with pytest.raises(StreamtError) as given_one:
        give(f"kafka://user:{password}@b:9092")
    assert password not in str(derived.value) + str(given_one.value)


def test_an_option_wins_over_the_variable_and_the_variable_over_the_address() -> None:
    environ = {"KAFKA": "kafka://variable:1"}
    address = Bootstrap("derived:1", LOCATION)
    assert dataset_namespace(NamespaceSource("k", "kafka://option:1", "KAFKA", environ), address) == "kafka://option:1"
    assert dataset_namespace(NamespaceSource("k", None, "KAFKA", environ), address) == "kafka://variable:1"
    assert dataset_namespace(NamespaceSource("k", None, "KAFKA", {"KAFKA": ""}), address) == "kafka://derived:1"


def test_a_malformed_variable_is_named() -> None:
    source = NamespaceSource("kafka_namespace", None, "KAFKA", {"KAFKA": "b:9092"})
    with pytest.raises(StreamtError) as caught:
        dataset_namespace(source, Bootstrap("b:9092", LOCATION))
    assert caught.value.diagnostics[0].location == Variable("KAFKA")


def test_a_namespace_that_no_dataset_needs_is_not_asked_for_but_is_still_checked() -> None:
    idle = Bootstrap("a:1,b:2", LOCATION, needed=False)
    assert dataset_namespace(NamespaceSource("k", None, "KAFKA", {}), idle) is None
    with pytest.raises(StreamtError):
        dataset_namespace(NamespaceSource("k", "nonsense", "KAFKA", {}), idle)


@pytest.mark.parametrize("value", ["", "  ", "a\nb", "a\x00b", "a\udcffb", "a\x7fb"])
def test_a_job_namespace_is_clean_text(value: str) -> None:
    with pytest.raises(StreamtError):
        job_namespace(NamespaceSource("job_namespace", value, "JOB", {}))


def test_a_job_namespace_has_no_default() -> None:
    with pytest.raises(StreamtError) as caught:
        job_namespace(NamespaceSource("job_namespace", None, "JOB", {}))
    assert caught.value.diagnostics[0].hint == "give --job-namespace NAMESPACE, or set JOB"


def test_all_problems_are_reported_at_once() -> None:
    with pytest.raises(StreamtError) as caught:
        resolve_namespaces(
            NamespaceOptions(None, "x", None),
            {},
            kafka=Bootstrap("b:1", LOCATION),
            gateway=Bootstrap(None, GATEWAY),
        )
    assert [problem.location for problem in caught.value.placed()] == [
        "job_namespace",
        "kafka_namespace",
        "runtime.conduktor.gateway.proxy_bootstrap",
    ]


def test_namespaces_are_resolved_together() -> None:
    resolved = resolve_namespaces(
        NamespaceOptions("jobs", None, "kafka://g:2", prefix="openlineage_"),
        {},
        kafka=Bootstrap("b:1", LOCATION),
        gateway=Bootstrap(None, GATEWAY, needed=False),
    )
    assert resolved == Namespaces("jobs", "kafka://b:1", "kafka://g:2")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("orders", "streamt/shop/models/orders"),
        ("Orders", "streamt/shop/models/Orders"),
        ("a/b", "streamt/shop/models/a%2Fb"),
        ("a%2Fb", "streamt/shop/models/a%252Fb"),
        ("a b", "streamt/shop/models/a%20b"),
        ('it\'s "x"', "streamt/shop/models/it%27s%20%22x%22"),
        ("支付", "streamt/shop/models/%E6%94%AF%E4%BB%98"),
        ("🚀", "streamt/shop/models/%F0%9F%9A%80"),
        ("-._~", "streamt/shop/models/-._~"),
        ("+&=:@!*()", "streamt/shop/models/%2B%26%3D%3A%40%21%2A%28%29"),
    ],
)
def test_a_job_name_encodes_each_segment(model: str, name: str) -> None:
    assert model_job_name("shop", model) == name


def test_a_command_has_a_job_name() -> None:
    assert command_job_name("my shop", "test") == "streamt/my%20shop/commands/test"


@given(st.text(min_size=1), st.text(min_size=1))
def test_percent_encoding_round_trips(project: str, model: str) -> None:
    head, first, kind, second = model_job_name(project, model).split("/")
    assert (head, unquote(first), kind, unquote(second)) == ("streamt", project, "models", model)
