"""Desired, applied and live, field by field."""

from dataclasses import replace

from streamt.deploy.artifact import Address, Content, ResourceKind, SecretRef
from streamt.deploy.backend import ABSENT, FieldDiff, Fields, Live, Presence, Risk, SecretState, Situation, Target
from streamt.deploy.compare import compare_fields, fingerprint, flatten

ADDRESS = Address(project="shop", environment="prod", kind=ResourceKind.TOPIC, name="orders")


def situation(live: Live, secret: SecretState | None = None) -> Situation:
    secrets = {"/p": secret} if secret else {}
    return Situation(target=Target(address=ADDRESS, name="orders"), live=live, secrets=secrets)


def present(fields: Fields) -> Live:
    return Live(presence=Presence.PRESENT, fields=fields)


def test_nested_mappings_become_pointers_and_lists_stay_whole() -> None:
    content: dict[str, Content] = {"a": 1, "b": {"c.d": "x", "e/f": [1, {"g": 2}]}, "h": {}}
    assert flatten(content) == {"/a": 1, "/b/c.d": "x", "/b/e~1f": [1, {"g": 2}], "/h": {}}


def test_fields_that_agree_are_left_out() -> None:
    assert compare_fields(situation(present({"/a": 1})), {"/a": 1}, {"/a": 1}) == ()


def test_a_removed_override_is_a_change_to_absent() -> None:
    (diff,) = compare_fields(situation(present({"/a": 1})), {}, {"/a": 1})
    assert (diff, diff.is_change) == (FieldDiff(path="/a", desired=ABSENT, applied=1, live=1), True)


def test_a_field_that_is_already_live_as_desired_is_a_difference_but_no_change() -> None:
    (diff,) = compare_fields(situation(present({"/a": 2})), {"/a": 2}, {"/a": 1})
    assert not diff.is_change


def test_what_others_set_is_shown_as_theirs_and_is_no_change() -> None:
    live = replace(present({"/a": 1, "/b": 2, "/c": 3}), owners={"/b": "other", "/c": "provider"})
    (diff,) = compare_fields(situation(live), {"/a": 1}, {"/a": 1})
    assert (diff.path, diff.owner, diff.is_change) == ("/b", "other", False)


def test_what_others_set_on_a_field_of_ours_is_drift_of_ours() -> None:
    live = replace(present({"/a": 5}), owners={"/a": "other"})
    (diff,) = compare_fields(situation(live), {"/a": 1}, {"/a": 1})
    assert (diff.owner, diff.is_change) == ("ours", True)


def test_a_secret_shows_only_whether_it_changed() -> None:
    secret = {"/p": SecretRef("/models/m/p")}
    (diff,) = compare_fields(situation(present({}), SecretState.CHANGED), secret, secret)
    assert (diff.sensitive, diff.desired, diff.live, diff.is_change) == (True, "changed", "unknown", True)


def test_a_masked_secret_that_is_remembered_is_no_difference() -> None:
    secret = {"/p": SecretRef("/models/m/p")}
    assert compare_fields(situation(present({"/p": "***"}), SecretState.SAME), secret, secret) == ()


def test_a_secret_that_was_no_secret_before_has_changed() -> None:
    (diff,) = compare_fields(situation(present({})), {"/p": SecretRef("/models/m/p")}, {"/p": "plain"})
    assert (diff.sensitive, diff.desired) == (True, "changed")


def test_the_fingerprint_sees_our_fields_the_id_and_the_facts_only() -> None:
    live = replace(present({"/a": 1, "/b": 2}), provider_id={"id": "x"}, facts={"v": 1})
    owned = frozenset({"/a"})
    known = fingerprint(live, owned)
    assert fingerprint(replace(live, fields={"/a": 1, "/b": 3}, owners={"/b": "other"}), owned) == known
    for other in (
        replace(live, fields={"/a": 2, "/b": 2}),
        replace(live, fields={"/b": 2}),
        replace(live, provider_id={"id": "y"}),
        replace(live, facts={"v": 2}),
        replace(live, presence=Presence.UNKNOWN),
    ):
        assert fingerprint(other, owned) != known


def test_risks_are_ordered_and_unknown_is_the_greatest() -> None:
    assert max(Risk.DESTRUCTIVE, Risk.UNKNOWN, Risk.SAFE) is Risk.UNKNOWN
    assert sorted([Risk.UNKNOWN, Risk.NONE, Risk.SAFE]) == [Risk.NONE, Risk.SAFE, Risk.UNKNOWN]
