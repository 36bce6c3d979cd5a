"""An address is read by its letters, and no letter of it is part of an error."""

import pytest

from streamt.net import Address, AddressError, parse_address, segments


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("http://h", Address(secure=False, host="h", port=80)),
        ("https://h", Address(secure=True, host="h", port=443)),
        ("HTTPS://Example.com:8443/", Address(secure=True, host="example.com", port=8443)),
        ("http://10.0.0.1:8081/flink", Address(secure=False, host="10.0.0.1", port=8081, path="/flink")),
        ("http://[::1]:8083/a/b/", Address(secure=False, host="::1", port=8083, path="/a/b/")),
        ("http://h/a%2Fb", Address(secure=False, host="h", port=80, path="/a%2Fb")),
    ],
)
def test_an_address_is_read(text: str, address: Address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "printable ASCII"),
        ("http://secret host", "printable ASCII"),
        ("http://sécret", "printable ASCII"),
        ("secret:8081", "must begin with"),
        ("ftp://secret", "must begin with"),
        ("http://secret:99999", "is not an address"),
        ("http://[secret", "is not an address"),
        ("http://secret:0", "a port from 1 to 65535"),
        ("http://:8081", "a host name"),
        ("http://-secret", "a host name"),
        ("http://[v1.secret]", "must hold a host name|is not an address"),
        ("http://h/?secret", "a query or a fragment"),
        ("http://h/#secret", "a query or a fragment"),
        ("http://h/secret//x", "a plain path"),
        ("http://h/../secret", "a plain path"),
        ('http://h/"secret', "a plain path"),
    ],
)
def test_what_is_no_address_is_refused_without_a_letter_of_it(text: str, message: str) -> None:
    with pytest.raises(AddressError, match=message) as caught:
        parse_address(text)
    assert "secret" not in f"{caught.value} {caught.value.hint} {caught.value.__cause__!r}"
    assert not caught.value.holds_credentials


def test_credentials_in_an_address_are_refused() -> None:
    with pytest.raises(AddressError, match="must not hold a user name") as caught:
        parse_address("http://user:secret@h")
    assert caught.value.holds_credentials


@pytest.mark.parametrize(
    ("base", "path", "target"),
    [
        ("http://h", "jobs", "/jobs"),
        ("http://h/", "jobs", "/jobs"),
        ("http://h/flink", "jobs/1", "/flink/jobs/1"),
        ("http://h/flink/", "jobs", "/flink/jobs"),
        ("http://h/flink/", "/jobs", "/jobs"),
    ],
)
def test_a_path_is_below_the_address(base: str, path: str, target: str) -> None:
    assert parse_address(base).target(path) == target


def test_segments_are_escaped_each() -> None:
    assert segments("subjects", "a/b c?ä", "versions") == "subjects/a%2Fb%20c%3F%C3%A4/versions"


@pytest.mark.parametrize(
    ("text", "loopback"),
    [("http://localhost", True), ("http://127.9.9.9", True), ("http://[::1]", True), ("http://h", False)],
)
def test_loopback_is_told_by_the_letters(text: str, loopback: bool) -> None:
    assert parse_address(text).is_loopback is loopback


def test_the_origin_has_no_path() -> None:
    assert parse_address("https://[::1]/secret").origin == "https://[::1]:443"
