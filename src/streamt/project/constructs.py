"""What projects written for another streamt say differently, and what to write here.

The table of docs/coming-from-another-streamt.md is this one.
"""

from dataclasses import dataclass

from streamt.yaml import Path


@dataclass(frozen=True, slots=True)
class Construct:
    """One thing that the other language says, and this one says differently.

    Attributes:
        where: the path of the key, with `*` for any index or name; a `*` at the end stands for every unknown key.
        hint: what to write instead.
        stands_for: keys of the same mapping that it was meant to be.
        written: how the other language writes it, for the page.
    """

    where: tuple[str, ...]
    hint: str
    stands_for: tuple[str, ...] = ()
    written: str = ""


CONSTRUCTS = (
    Construct(
        ("sources", "*", "freshness", "warn_after"),
        "write `warn_after_seconds`, a number of seconds",
        ("warn_after_seconds",),
        "freshness: {warn_after: 1m}",
    ),
    Construct(
        ("sources", "*", "freshness", "error_after"),
        "write `max_lag_seconds`, a number of seconds",
        ("max_lag_seconds",),
        "freshness: {error_after: 5m}",
    ),
    Construct(
        ("*", "*", "columns", "*", "tests"),
        "write a test of the model or source under `tests`, such as "
        "`{name: NAME, type: sample, model: MODEL, assertions: [{not_null: {columns: [COLUMN]}}]}`",
        (),
        "columns: [{name: id, tests: [not_null, unique]}]",
    ),
    Construct(
        ("models", "*", "advanced", "flink", "cluster"),
        "write `flink_cluster` one level up: `advanced: {flink_cluster: NAME}`",
        (),
        "advanced: {flink: {cluster: NAME}}",
    ),
    Construct(
        ("models", "*", "advanced", "flink", "checkpoint_interval"),
        "write `checkpoint_interval_ms`, a number of milliseconds",
        ("checkpoint_interval_ms",),
        "advanced: {flink: {checkpoint_interval: 60000}}",
    ),
    *(
        Construct(
            ("models", "*", key, "tasks_max"),
            "write it as the connector's own setting: `config: {tasks.max: 4}`",
            (),
            f"{key}: {{type: NAME, tasks_max: 4}}",
        )
        for key in ("connector", "sink")
    ),
    *(
        Construct(
            ("models", "*", "advanced", key),
            f"write `{key}` one level up, in the model itself",
            (),
            f"advanced: {{{key}: ...}}",
        )
        for key in ("connector", "sink", "security")
    ),
    Construct(
        ("models", "*", "security", "masking"),
        "write `policies: [{mask: {column: NAME, method: hash}}]`",
        ("policies",),
        "security: {masking: [{column: email, policy: hash}]}",
    ),
    Construct(
        ("models", "*", "access"),
        "write the level alone: `access: protected`",
        (),
        "access: {level: protected, allowed_groups: [a]}",
    ),
    Construct(
        ("tests", "*", "assertions", "*", "max_lag", "seconds"),
        "write `max_lag: {column: NAME, max_seconds: 60}`",
        ("max_seconds", "column"),
        "max_lag: {seconds: 60}",
    ),
    Construct(
        ("tests", "*", "assertions", "*", "throughput", "min_per_minute"),
        "write `min_per_second`: the number divided by 60",
        ("min_per_second",),
        "throughput: {min_per_minute: 100}",
    ),
    Construct(
        ("tests", "*", "assertions", "*", "throughput", "max_per_minute"),
        "write `max_per_second`: the number divided by 60",
        ("max_per_second",),
        "throughput: {max_per_minute: 100}",
    ),
    Construct(
        ("tests", "*", "on_failure"),
        "write `on_failure: {severity: error, actions: [...]}`",
        (),
        "on_failure: [{alert: {channel: ops}}]",
    ),
    Construct(
        ("tests", "*", "assertions", "*", "accepted_types", "*"),
        "write the columns under `types`: `accepted_types: {types: {COLUMN: TYPE}}`",
        ("types",),
        "accepted_types: {payment_id: string}",
    ),
    Construct(
        ("tests", "*", "assertions", "*", "positive"),
        "write `range: {column: NAME, min: 0}`",
        (),
        "positive: {columns: [amount]}",
    ),
    Construct(
        ("tests", "*", "assertions", "*", "freshness"),
        "write `max_lag: {column: NAME, max_seconds: 60}`",
        (),
        "freshness: {max_age: 5m}",
    ),
    Construct(
        ("tests", "*", "assertions", "*", "custom_sql", "max_failures"),
        "let the query count what fails, and write `expect: 0`",
        ("expect",),
        "custom_sql: {sql: ..., max_failures: 0}",
    ),
)


def find_construct(path: Path) -> Construct | None:
    """Return what the other language means by the key or value at `path`, if it is known."""
    return next((each for each in CONSTRUCTS if _matches(each.where, path)), None)


def _matches(where: tuple[str, ...], path: Path) -> bool:
    return len(where) == len(path) and all(part in ("*", str(given)) for part, given in zip(where, path, strict=True))
