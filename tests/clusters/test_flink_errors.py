"""Flink's stack traces become one message and a place."""

import pytest

from streamt.clusters.flink_errors import flink_error

HEAD = "<Exception on server side:\norg.apache.flink.X: Failed to fetchResults.\n\tat org.apache.flink.X.y(X.java:1)\n"
VALIDATOR = "org.apache.calcite.sql.validate.SqlValidatorException"


def trace(*causes: str) -> list[str]:
    text = "".join(f"Caused by: {cause}\n\tat org.apache.flink.X.y(X.java:1)\n\t... 5 more\n" for cause in causes)
    return ["Internal server error.", f"{HEAD}{text}\nEnd of exception on server side>"]


def test_a_validation_error_has_its_message_and_its_place() -> None:
    found = flink_error(
        trace(
            "org.apache.flink.table.api.ValidationException: SQL validation failed. From line 3, column 5 to line 3: x",
            "org.apache.calcite.runtime.CalciteContextException: From line 3, column 5 to line 3, column 8: Column",
            f"{VALIDATOR}: Column 'b' not found in any table",
        )
    )
    assert (found.message, found.line, found.column) == ("Column 'b' not found in any table", 3, 5)


def test_a_parse_error_has_its_place_in_the_message() -> None:
    words = "Incorrect syntax near the keyword 'COUNT' at line 1, column 32."
    cause = f'org.apache.flink.sql.parser.impl.ParseException: {words}\nWas expecting one of:\n    <EOF> \n    "AS" ...'
    found = flink_error(trace(cause))
    assert (found.message, found.line, found.column) == (words, 1, 32)


def test_lines_after_the_cause_belong_to_it() -> None:
    cause = (
        "org.apache.flink.table.api.ValidationException: Column types do not match.\nCause: Incompatible types.\n\n"
        "Query schema: [k: STRING]\nSink schema:  [k: INT]"
    )
    expected = "Column types do not match. Cause: Incompatible types. Query schema: [k: STRING] Sink schema:  [k: INT]"
    assert flink_error(trace(cause)).message == expected


@pytest.mark.parametrize("head", ["Supported options:", "Table options are:"])
def test_lists_of_options_are_left_out(head: str) -> None:
    cause = f"org.apache.flink.table.api.ValidationException: Unsupported options found.\n\n{head}\n\n'a'='pw'"
    assert flink_error(trace(cause)).message == "Unsupported options found."


def test_a_duplicate_job_is_searched_for_in_the_whole_text() -> None:
    line = "org.apache.flink.runtime.client.DuplicateJobSubmissionException: Job has already been submitted."
    found = flink_error(
        ["x", f"<Exception on server side:\nCaused by: a.b.C: <Exception on server side:\n{line}\n\tat x"]
    )
    assert found.is_duplicate_job


def test_a_savepoint_that_does_not_fit_is_known() -> None:
    found = flink_error(trace("java.lang.IllegalStateException: Failed to rollback to checkpoint/savepoint x"))
    assert found.is_restore_failure


def test_a_text_without_causes_is_the_message() -> None:
    assert flink_error(["Not found: /v9/x"]).message == "Not found: /v9/x"
    assert flink_error([]).message == "Flink gives no reason"


def test_secrets_are_masked() -> None:
    assert flink_error(["cannot use hunter2"], ["hunter2"]).message == "cannot use ***"
