"""Each sentence of "Which Value Is Shown" and "Withdrawing Metadata"."""

from hypothesis import given
from hypothesis import strategies as st

from streamt.catalog.metadata import (
    Report,
    TagEdit,
    TagReport,
    Value,
    description_of,
    present,
    shown,
    shown_tags,
)
from streamt.catalog.values import Moment

PII, OPEN = ("pii", "true"), ("open", "")


def reported(*pairs: tuple[int, str | None]) -> list[Report]:
    return [Report(Moment(time), value) for time, value in pairs]


def value(text: str | None, changed: int) -> Value:
    return Value(text, changed, changed)


def test_a_users_edit_always_wins() -> None:
    assert shown({"user": value("mine", 1), "openlineage": value("theirs", 9)}) == "user"


def test_a_cleared_edit_hands_the_value_back_to_the_sources() -> None:
    assert shown({"user": value(None, 9), "openlineage": value("theirs", 1)}) == "openlineage"


def test_the_value_that_changed_most_recently_wins() -> None:
    assert shown({"sync": value("comment", 5), "openlineage": value("doc", 4)}) == "sync"


def test_the_same_value_again_is_no_change() -> None:
    sync = present(reported((1, "comment"), (9, "comment")))
    assert sync == Value("comment", 1, 9)
    assert sync is not None
    assert shown({"sync": sync, "openlineage": value("doc", 4)}) == "openlineage"


def test_a_withdrawn_value_lets_the_next_most_recent_be_shown() -> None:
    gone = present(reported((1, "doc"), (9, None)))
    assert gone is not None
    assert shown({"openlineage": gone, "sync": value("comment", 2)}) == "sync"


def test_when_every_source_has_withdrawn_nothing_is_shown() -> None:
    assert shown({"openlineage": value(None, 1)}) is None
    assert present([]) is None


def test_an_older_report_cannot_replace_a_newer_one() -> None:
    late = present(reported((5, "new"), (9, "new"), (3, "old")))
    assert late == Value("new", 5, 9)


def test_a_late_report_between_two_equal_ones_moves_the_change() -> None:
    assert present(reported((1, "a"), (9, "a"))) == Value("a", 1, 9)
    assert present(reported((1, "a"), (9, "a"), (5, "b"))) == Value("a", 9, 9)


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["a", "b", None])), unique_by=lambda pair: pair[0]))
def test_the_order_of_arrival_does_not_matter(pairs: list[tuple[int, str | None]]) -> None:
    assert present(reported(*pairs)) == present(reported(*reversed(pairs)))


def sent(time: int, *tags: tuple[str, str]) -> TagReport:
    return TagReport(Moment(time), frozenset(tags))


def test_a_tag_that_the_producer_starts_sending_is_added() -> None:
    assert shown_tags([sent(1, PII)], []) == {PII: "openlineage"}


def test_a_tag_that_it_stops_sending_is_removed() -> None:
    assert shown_tags([sent(1, PII), sent(2)], []) == {}


def test_a_tag_that_a_person_added_is_never_removed_by_openlineage() -> None:
    assert shown_tags([sent(1, PII), sent(3)], [TagEdit(2, PII, added=True)]) == {PII: "user"}


def test_a_removed_tag_stays_removed_while_the_producer_keeps_sending_it() -> None:
    assert shown_tags([sent(1, PII), sent(3, PII), sent(4, PII, OPEN)], [TagEdit(2, PII, added=False)]) == {
        OPEN: "openlineage"
    }


def test_a_removed_tag_returns_when_the_producer_stops_and_starts_again() -> None:
    assert shown_tags([sent(1, PII), sent(3), sent(4, PII)], [TagEdit(2, PII, added=False)]) == {PII: "openlineage"}


def test_the_description_of_a_field_edge_names_each_transformation_once() -> None:
    assert description_of([("DIRECT", "IDENTITY"), ("INDIRECT", "FILTER"), ("DIRECT", "IDENTITY"), ("", "")]) == (
        "DIRECT/IDENTITY, INDIRECT/FILTER"
    )
