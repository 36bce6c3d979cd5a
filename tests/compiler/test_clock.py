from datetime import UTC, datetime, timedelta

import pytest

from streamt.compiler import compile_time
from streamt.diagnostics import Code, StreamtError


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("0", datetime(1970, 1, 1, tzinfo=UTC)),
        ("1700000000", datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        ("253402300799", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_source_date_epoch_is_the_time(text: str, time: datetime) -> None:
    assert compile_time({"SOURCE_DATE_EPOCH": text}) == time


@pytest.mark.parametrize("environ", [{}, {"SOURCE_DATE_EPOCH": ""}])
def test_without_the_variable_it_is_now_in_utc(environ: dict[str, str]) -> None:
    time = compile_time(environ)
    assert time.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - time) < timedelta(minutes=1)


@pytest.mark.parametrize("text", ["-1", "1.5", "1e9", " 1", "1\n", "x", "0x1", "253402300800", "9" * 40, "١٢", "+1"])
def test_a_malformed_time_is_an_error_that_shows_no_value(text: str) -> None:
    with pytest.raises(StreamtError) as caught:
        compile_time({"SOURCE_DATE_EPOCH": text})
    (problem,) = caught.value.placed()
    assert (problem.code, problem.location) == (Code.ENV_VAR_ERROR, "SOURCE_DATE_EPOCH")
    assert problem.message == "the variable SOURCE_DATE_EPOCH is not a time in whole seconds since 1970"
