"""What is remembered of numbers stays within its bound, and what is asked for stays longest."""

from streamt.catalog.store.ids import Recent


def test_what_nobody_asks_for_goes_and_what_is_asked_for_stays() -> None:
    recent = Recent(most=10)
    for turn in range(30):
        recent.add({(turn, at): at for at in range(5)} | {"always": 1})
        assert recent.get("always") == 1
    kept = [turn for turn in range(30) if recent.get((turn, 1)) is not None]
    assert kept[-1] == 29
    assert 2 <= len(kept) <= 6


def test_nothing_is_left_of_what_was_forgotten() -> None:
    recent = Recent(most=1)
    recent.add({"a": 1, "b": 2})
    recent.add({"c": 3})
    recent.clear()
    assert [recent.get(key) for key in "abc"] == [None, None, None]
