"""Addresses, canonical JSON and digests."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.deploy import (
    Address,
    Artifact,
    Content,
    Declaration,
    ResourceKind,
    SecretRef,
    Secrets,
    canonical_json,
    decode,
    digest,
)

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
ADDRESSES = st.builds(
    Address,
    project=NAMES,
    environment=NAMES,
    kind=st.sampled_from([kind for kind in ResourceKind if kind is not ResourceKind.SCHEMA]),
    name=NAMES,
) | st.builds(
    Address,
    project=NAMES,
    environment=NAMES,
    kind=st.just(ResourceKind.SCHEMA),
    name=NAMES,
    part=st.sampled_from(["key", "value"]),
)
SCALARS = st.none() | st.booleans() | st.integers() | NAMES | st.builds(SecretRef, NAMES)
CONTENTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)


def topic(content: Mapping[str, Content]) -> Artifact:
    address = Address(project="shop", environment="prod", kind=ResourceKind.TOPIC, name="orders")
    return Artifact(
        address=address, name="orders.v1", content=content, declaration=Declaration(kind="model", name="orders")
    )


@given(ADDRESSES)
def test_an_address_is_read_back_from_its_text(address: Address) -> None:
    assert Address.parse(str(address)) == address


def test_an_address_percent_encodes_each_of_its_segments() -> None:
    address = Address(project="a/b", environment="prod", kind=ResourceKind.SCHEMA, name="é x", part="value")
    assert str(address) == "streamt://a%2Fb/prod/schema/%C3%A9%20x/value"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shop/prod/topic/orders",
        "streamt://shop/prod/topic",
        "streamt://shop/prod/topics/orders",
        "streamt://shop/prod/topic/orders/value",
        "streamt://shop/prod/schema/orders",
        "streamt://shop/prod/schema/orders/header",
        "streamt://shop/prod/topic/a b",
        "streamt://shop/prod/topic/%6Frders",
        "streamt://shop/prod/topic/orders/value/more",
    ],
)
def test_a_text_that_is_not_spelled_as_an_address_is_none(text: str) -> None:
    assert Address.parse(text) is None


@given(CONTENTS)
def test_content_is_read_back_from_its_json(content: Content) -> None:
    assert decode(json.loads(canonical_json(content))) == content


@given(st.dictionaries(NAMES, SCALARS, max_size=5))
def test_the_digest_does_not_depend_on_the_order_of_keys(content: dict[str, None]) -> None:
    assert digest(content) == digest(dict(reversed(content.items())))


def test_canonical_json_is_sorted_dense_and_utf_8() -> None:
    assert canonical_json({"b": ["é", 1], "a": SecretRef("/x")}) == '{"a":{"$secret":"/x"},"b":["é",1]}'.encode()


def test_a_number_that_json_lacks_has_no_canonical_form() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("nan"))


def test_a_secret_stands_in_an_artifact_by_its_place_alone() -> None:
    ref = SecretRef("/models/orders/sink/config/password")
    artifact = topic({"config": {"a/b": [ref]}})
    assert artifact.secrets == {"/config/a~1b/0": ref}
    assert artifact.digest == digest({"config": {"a/b": [ref]}})


def test_secrets_show_no_value_of_theirs() -> None:
    secrets = Secrets({"/x": "hunter2"})
    assert "hunter2" not in f"{secrets} {secrets!r}"
    assert secrets.reveal(SecretRef("/x")) == "hunter2"
    assert list(secrets) == ["hunter2"]


def test_a_declaration_is_found_by_its_name() -> None:
    assert Declaration(kind="source", name="a/b").location == "/sources/a~1b"


def test_addresses_are_ordered_as_their_texts() -> None:
    names = ["b", "a b", "a", "a-b"]
    addresses = [Address(project="p", environment="e", kind=ResourceKind.TOPIC, name=name) for name in names]
    assert [str(each) for each in sorted(addresses)] == sorted(map(str, addresses))
