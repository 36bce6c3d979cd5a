# GENERATED, DO NOT EDIT.
# command:   python -m codegen generate
# release:   OpenLineage 1.53.0
"""What the schemas look at in a value; proved when this file is generated."""

TEXTS = frozenset(
    {
        "_producer",
        "_schemaURL",
        "eventTime",
        "eventType",
        "nominalEndTime",
        "nominalStartTime",
        "producer",
        "runId",
        "schemaURL",
    }
)
"""The names under which a text's letters count."""

NUMBERS = frozenset(
    {
        "_schemaURL",
        "eventType",
        "windowDuration",
    }
)
"""The names under which a number's or a boolean's value counts."""
