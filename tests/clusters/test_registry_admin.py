"""The registry adapter answers the same with Confluent's and Apicurio's registry; their differences are a table."""

import json
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from streamt.clusters import ClusterError, FailureKind
from streamt.clusters.registry_admin import (
    Compatibility,
    RegistryAdmin,
    SchemaReference,
    SchemaText,
    SchemaType,
    SubjectLevel,
)
from streamt.net import Basic, HttpClient, parse_address
from tests.clusters.confluent import Confluent, confluent
from tests.stack.net import http
from tests.stack.proxy import cut_answer, cut_request, http_proxy

Unique = Callable[[str], str]
ID: dict[str, Any] = {"name": "id", "type": "long"}
NOTE: dict[str, Any] = {"name": "note", "type": ["null", "string"], "default": None}
MUST: dict[str, Any] = {"name": "must", "type": "string"}


def avro(*fields: dict[str, Any], name: str = "Order", indent: int | None = None, **more: Any) -> SchemaText:
    record = {"type": "record", "name": name, "namespace": "shop", "fields": list(fields), **more}
    return SchemaText(text=json.dumps(record, indent=indent))


@pytest.fixture
def double() -> Iterator[Confluent]:
    with confluent() as running:
        yield running


@pytest.fixture(params=["confluent", pytest.param("apicurio", marks=pytest.mark.stack)])
def url(request: pytest.FixtureRequest) -> str:
    """The address of each kind of registry."""
    if request.param == "confluent":
        registry: Confluent = request.getfixturevalue("double")
        return registry.url
    return str(request.getfixturevalue("schema_registry"))


def admin_of(*urls: str, login: Basic | None = None) -> RegistryAdmin:
    clients = [HttpClient(address=parse_address(each), credentials=login, timeout_s=60) for each in urls]
    return RegistryAdmin(clients, [login.password] if login else [])


@pytest.fixture
def admin(url: str) -> RegistryAdmin:
    return admin_of(url)


def test_a_subject_grows_by_versions(admin: RegistryAdmin, unique: Unique) -> None:
    subject = unique("s")
    assert (admin.latest(subject), admin.versions(subject)) == (None, ())
    assert admin.register(subject, avro(ID)) is None
    assert admin.register(subject, avro(ID, NOTE)) is None
    assert admin.versions(subject) == (1, 2)
    latest = admin.latest(subject)
    assert latest
    assert (latest.subject, latest.number, latest.schema.kind) == (subject, 2, "AVRO")
    assert json.loads(latest.schema.text)["fields"] == [ID, NOTE]
    assert admin.version(subject, 1) != latest
    assert admin.version(subject, 3) is None
    assert subject in admin.subjects()


def test_the_same_again_is_no_new_version(admin: RegistryAdmin, unique: Unique) -> None:
    subject = unique("s")
    for _ in range(2):
        assert admin.register(subject, avro(ID)) is None
    assert admin.versions(subject) == (1,)


def test_a_changed_doc_is_a_new_version(admin: RegistryAdmin, unique: Unique) -> None:
    subject = unique("s")
    assert admin.register(subject, avro(ID)) is None
    assert admin.register(subject, avro(ID, doc="an order")) is None
    assert admin.versions(subject) == (1, 2)


def test_a_schema_is_looked_up(admin: RegistryAdmin, unique: Unique) -> None:
    subject = unique("s")
    assert admin.look_up(subject, avro(ID), normalize=True) is None
    admin.register(subject, avro(ID))
    found = admin.look_up(subject, avro(ID, indent=2), normalize=True)
    assert found
    assert found.number == 1
    assert admin.look_up(subject, avro(MUST), normalize=True) is None


def test_an_incompatible_schema_is_known_before_and_refused(admin: RegistryAdmin, unique: Unique) -> None:
    subject = unique("s")
    assert admin.compatibility(subject, avro(ID)) == Compatibility(compatible=True)
    admin.register(subject, avro(ID))
    assert admin.compatibility(subject, avro(ID, NOTE)) == Compatibility(compatible=True)
    assert admin.compatibility(subject, avro(ID, MUST)).compatible is False
    failure = admin.register(subject, avro(ID, MUST))
    assert failure
    assert (failure.kind, failure.code) == (FailureKind.REFUSED, "409")
    assert admin.versions(subject) == (1,)


def test_levels_are_the_subjects_or_the_global_one(admin: RegistryAdmin, unique: Unique) -> None:
    subject = unique("s")
    assert admin.level(subject) == SubjectLevel("BACKWARD")
    admin.register(subject, avro(ID))
    assert admin.level(subject) == SubjectLevel("BACKWARD")
    for level in ("FULL", "FORWARD_TRANSITIVE", "BACKWARD"):
        assert admin.set_level(subject, level) is None
        assert admin.level(subject) == SubjectLevel(level, level)
    assert admin.unset_level(subject) is None
    assert admin.level(subject) == SubjectLevel("BACKWARD")
    assert admin.unset_level(unique("none")) is None


def test_a_level_can_be_set_before_the_subject_is_there(admin: RegistryAdmin, unique: Unique) -> None:
    subject = unique("s")
    assert admin.set_level(subject, "FULL") is None
    admin.register(subject, avro(ID))
    assert admin.level(subject) == SubjectLevel("FULL", "FULL")


def test_a_level_that_does_not_exist_is_not_taken(admin: RegistryAdmin, unique: Unique) -> None:
    assert admin.set_level(unique("s"), "SIDEWARD") is not None


def test_references_are_kept_and_protected(admin: RegistryAdmin, unique: Unique) -> None:
    base, user = unique("base"), unique("user")
    admin.register(base, avro(ID, name="Base"))
    text = avro({"name": "base", "type": "shop.Base"}, name="User").text
    uses = SchemaText(text=text, references=(SchemaReference("shop.Base", base, 1),))
    assert admin.register(user, uses) is None
    latest = admin.latest(user)
    assert latest
    assert latest.schema.references == uses.references
    assert admin.referenced_by(base, 1) == (latest.id,)
    assert admin.referenced_by(user, 1) == ()
    failure = admin.delete(base)
    assert failure
    assert (failure.kind, failure.code) == (FailureKind.REFUSED, "42206")


def test_a_reference_to_nothing_is_refused(admin: RegistryAdmin, unique: Unique) -> None:
    uses = SchemaText(text=avro(ID).text, references=(SchemaReference("shop.Base", unique("none"), 1),))
    failure = admin.register(unique("s"), uses)
    assert failure
    assert (failure.kind, failure.code) == (FailureKind.REFUSED, "42201")


def test_a_deleted_subject_is_gone_and_numbers_go_on(admin: RegistryAdmin, unique: Unique) -> None:
    subject = unique("s")
    admin.register(subject, avro(ID))
    assert admin.delete(subject) is None
    assert (admin.latest(subject), admin.versions(subject)) == (None, ())
    assert subject not in admin.subjects()
    again = admin.delete(subject)
    assert again
    assert again.kind is FailureKind.ABSENT
    admin.register(subject, avro(ID))
    assert admin.versions(subject) == (2,)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("JSON", '{"type": "object", "properties": {"a": {"type": "integer"}}}'),
        ("PROTOBUF", 'syntax = "proto3";\nmessage A {\n  int32 a = 1;\n}\n'),
    ],
)
def test_other_kinds_are_registered(admin: RegistryAdmin, unique: Unique, kind: SchemaType, text: str) -> None:
    subject, schema = unique("s"), SchemaText(text=text, kind=kind)
    assert admin.register(subject, schema) is None
    latest = admin.latest(subject)
    assert latest
    assert latest.schema.kind == kind
    found = admin.look_up(subject, schema, normalize=True)
    assert found
    assert found.number == 1


def test_a_text_that_is_no_schema_is_refused(admin: RegistryAdmin, unique: Unique) -> None:
    failure = admin.register(unique("s"), SchemaText(text="{"))
    assert failure
    assert (failure.kind, failure.code) == (FailureKind.REFUSED, "42201")


def test_a_subject_with_odd_letters_is_one_segment(admin: RegistryAdmin, unique: Unique) -> None:
    subject = unique("a b.c_d%")
    assert admin.register(subject, avro(ID)) is None
    assert admin.versions(subject) == (1,)


def test_a_login_that_is_refused_is_named(double: Confluent) -> None:
    double.login = "me:right"
    assert admin_of(double.url, login=Basic("me", "right")).subjects() == ()
    with pytest.raises(ClusterError) as caught:
        admin_of(double.url, login=Basic("me", "wrong-one")).subjects()
    assert caught.value.failure.kind is FailureKind.LOGIN
    assert "wrong-one" not in str(caught.value)


def test_another_address_is_asked_when_the_first_is_away(double: Confluent) -> None:
    assert admin_of("http://127.0.0.1:9", double.url).subjects() == ()
    with pytest.raises(ClusterError) as caught:
        admin_of("http://127.0.0.1:9").subjects()
    assert caught.value.failure.kind is FailureKind.UNREACHABLE


def test_a_path_that_nobody_knows_is_not_an_empty_registry(double: Confluent) -> None:
    with pytest.raises(ClusterError) as caught:
        admin_of(f"{double.url}/wrong").subjects()
    assert caught.value.failure.kind is FailureKind.REFUSED


def test_a_readonly_registry_says_so_and_refuses(double: Confluent) -> None:
    double.modes["a"] = "READONLY"
    admin = admin_of(double.url)
    assert (admin.mode("a"), admin.mode("b")) == ("READONLY", "READWRITE")
    failure = admin.register("a", avro(ID))
    assert failure
    assert (failure.kind, failure.code) == (FailureKind.REFUSED, "42205")


@pytest.mark.parametrize(("fault", "done"), [(cut_answer, True), (cut_request, False)])
def test_a_cut_registration_is_undecided(double: Confluent, fault: Any, done: bool) -> None:
    with http_proxy(double.url) as proxy:
        proxy.fault(fault, "POST /subjects/a/versions")
        failure = admin_of(proxy.address).register("a", avro(ID))
    assert failure
    assert failure.kind is FailureKind.UNDECIDED
    assert ("a" in double.subjects) is done


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_an_answer_that_does_not_decide_is_undecided(
    double: Confluent, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    from tests.clusters import confluent as module

    def fail(*_: object) -> None:
        raise module.RefusedError(status, status, "busy")

    monkeypatch.setattr(double, "register", fail)
    failure = admin_of(double.url).register("a", avro(ID))
    assert failure
    assert failure.kind is FailureKind.UNDECIDED


# Where the two differ: (what is asked, Confluent's answer, Apicurio's answer). docs/schema-registries.md says the same.

Ask = Callable[[str, str], Any]


def sent(method: str, path: str, body: object = None) -> Ask:
    """Return a question about subject `S`, which has one version."""
    return lambda url, subject: http(method, url + path.replace("S", subject), body)


def status_and_code(answer: tuple[int, Any]) -> tuple[int, int | None]:
    status, body = answer
    return status, body.get("error_code") if isinstance(body, dict) else None


def level_none(url: str, subject: str) -> str:
    """Set NONE on the subject, and return the level that counts then."""
    http("PUT", f"{url}/config/{subject}", {"compatibility": "NONE"})
    return admin_of(url).level(subject).effective


SPACED = {"schema": avro(ID, indent=2).text}
DIFFERENCES: list[tuple[str, Ask, Callable[[Any], Any], Any, Any]] = [
    ("global mode", sent("GET", "/mode"), status_and_code, (200, None), (404, None)),
    ("mode of a subject", sent("GET", "/mode/S"), lambda a: a[0], 404, 204),
    ("identity", sent("GET", "/v1/metadata/id"), lambda a: a[0], 200, 404),
    ("level of its own, when there is none", sent("GET", "/config/S"), status_and_code, (404, 40408), (200, None)),
    (
        "level of a subject that is not there",
        sent("GET", "/config/none-S?defaultToGlobal=true"),
        status_and_code,
        (200, None),
        (404, 40401),
    ),
    (
        "answer to a new level",
        sent("PUT", "/config/S", {"compatibility": "FULL"}),
        lambda a: a[1],
        {"compatibility": "FULL"},
        {"compatibilityLevel": "FULL"},
    ),
    (
        "unknown level",
        sent("PUT", "/config/S", {"compatibility": "SIDEWARD"}),
        status_and_code,
        (422, 42203),
        (500, 0),
    ),
    ("level `NONE` of a subject, under a stricter global one", level_none, str, "NONE", "BACKWARD"),
    ("the same schema, spaced", sent("POST", "/subjects/S", SPACED), lambda a: a[0], 200, 404),
    (
        "reasons of an incompatibility",
        sent("POST", "/compatibility/subjects/S/versions/latest?verbose=true", {"schema": avro(ID, MUST).text}),
        lambda a: sorted(a[1]),
        ["is_compatible", "messages"],
        ["is_compatible"],
    ),
    ("type of an Avro version", sent("GET", "/subjects/S/versions/1"), lambda a: a[1].get("schemaType"), None, "AVRO"),
    (
        "a changed doc, looked up normalized",
        sent("POST", "/subjects/S?normalize=true", {"schema": avro(ID, doc="x").text}),
        lambda a: a[0],
        404,
        200,
    ),
]
ROWS = [pytest.param(*row[1:], id=row[0]) for row in DIFFERENCES]


@pytest.mark.parametrize(("ask", "part", "expected", "_"), ROWS)
def test_the_double_answers_as_confluent(double: Confluent, ask: Ask, part: Any, expected: Any, _: Any) -> None:
    admin_of(double.url).register("s", avro(ID))
    assert part(ask(double.url, "s")) == expected


@pytest.mark.parametrize(("ask", "part", "_", "expected"), ROWS)
def test_apicurio_answers_otherwise(
    schema_registry: str, unique: Unique, ask: Ask, part: Any, expected: Any, _: Any
) -> None:
    subject = unique("s")
    admin_of(schema_registry).register(subject, avro(ID))
    assert part(ask(schema_registry, subject)) == expected


def test_the_table_of_differences_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "schema-registries.md").read_text(encoding="utf-8")
    assert [row[0] for row in DIFFERENCES if f"| {row[0]} |" not in page] == []


def test_a_registry_behind_a_certificate_of_ones_own_is_reached(tmp_path: Path) -> None:
    authority = trustme.CA()
    ca_file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(ca_file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with confluent(context) as registry:
        registry.login = "me:right"
        address, login = parse_address(registry.url), Basic("me", "right")
        trusted = RegistryAdmin([HttpClient(address=address, credentials=login, ca_file=ca_file)])
        assert trusted.register("s", avro(ID)) is None
        with pytest.raises(ClusterError, match="not trusted"):
            RegistryAdmin([HttpClient(address=address, credentials=login)]).subjects()
