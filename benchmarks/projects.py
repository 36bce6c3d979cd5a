"""Projects of any size that look like real ones: chains, fan-in, macros; columns, texts and owners of every kind."""

import random
from collections.abc import Iterator
from pathlib import Path

TYPES = (
    "STRING",
    "BIGINT",
    "INT",
    "DOUBLE",
    "DECIMAL(18, 2)",
    "TIMESTAMP_LTZ(3)",
    "BOOLEAN",
    "ARRAY<STRING>",
    "ROW<`a` INT, `b` STRING>",
    "MAP<STRING, DOUBLE>",
)
WORDS = ("orders", "of", "the", "last", "day", "per", "customer", "with", "amount", "in", "cents", "größer", "🎈")
FIXED = ("c0", "c1", "c2", "c3", "c4")
"""Columns that the SQL of other models reads; everything has them."""

ROOT = """\
apiVersion: streamt.dev/v1alpha1
project:
  name: bench
runtime:
  kafka:
    bootstrap_servers: kafka.example.com:9092
"""
MACRO = """\
SELECT {{ params.key }}, COUNT(*) AS events, MAX(c1) AS newest
FROM {{ ref(params.input) }}
{% if params.minimum %}WHERE c1 > {{ params.minimum }}{% endif %}
GROUP BY {{ params.key }}
"""


def write_project(folder: Path, models: int, *, files: int, is_deployable: bool = False) -> None:
    """Write a project of `models` models in `folder`.

    Args:
        folder: where.
        models: how many.
        files: 1 for one big file; else about as many small ones.
        is_deployable: whether everything has columns and a key, as jobs of Flink need them.
    """
    (folder / "macros").mkdir(parents=True)
    (folder / "macros" / "per_key.sql.j2").write_text(MACRO)
    declarations = list(_models(models, is_deployable))
    sources = _sources(models, is_deployable)
    if files == 1:
        (folder / "stream_project.yml").write_text(ROOT + sources + "models:\n" + "".join(declarations))
        return
    (folder / "stream_project.yml").write_text(ROOT + sources)
    size = -(-len(declarations) // files)
    for index, start in enumerate(range(0, len(declarations), size)):
        path = folder / "models" / f"area{index % 20:02}" / f"part{index:05}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("models:\n" + "".join(declarations[start : start + size]))


def _sources(models: int, is_deployable: bool) -> str:  # noqa: FBT001 - passed on
    return "sources:\n" + "".join(
        f"  - name: source{index}\n    topic: raw.source{index}.v1\n{_about(chance)}{_columns(chance, is_deployable)}"
        for index in range(max(1, models // 20))
        for chance in [random.Random(f"source{index}")]
    )


def _models(models: int, is_deployable: bool) -> Iterator[str]:  # noqa: FBT001 - passed on
    key = "    key: c0\n" if is_deployable else ""
    for index in range(models):
        chance = random.Random(f"model{index}")
        tags = f"    tags: [bench, area{index % 20}]\n"
        feed = _feed(index, max(1, models // 20))
        yield f"  - name: model{index}\n{_about(chance)}{tags}{key}{feed}{_columns(chance, is_deployable)}"


def _about(chance: random.Random) -> str:
    """Give a description and an owner, each to most but not to all."""
    description = f"    description: {_text(chance, 25)}\n" if chance.random() < 0.8 else ""
    owner = f"    owner: team-{chance.randrange(40)}\n" if chance.random() < 0.7 else ""
    return description + owner


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(1, words)))


def _feed(index: int, sources: int) -> str:
    """Give one of four shapes in turn: a filter on a source, a chain, a fan-in, a macro."""
    if index < 4 or index % 4 == 0:
        return _sql(
            f'SELECT c0, c1, UPPER(c2) AS c2\nFROM {{{{ source("source{index % sources}") }}}}\nWHERE c1 > {index}'
        )
    if index % 4 == 1:
        return _sql(f'SELECT c0, c1, c2 FROM {{{{ ref("model{index - 1}") }}}} WHERE c4 IS NOT NULL')
    if index % 4 == 2:
        joins = "\n".join(
            f'JOIN {{{{ ref("model{index - back}") }}}} AS m{back} ON a.c0 = m{back}.c0'
            for back in (2, 3, 4)
            if index >= back
        )
        return _sql(f'SELECT a.c0, a.c1\nFROM {{{{ ref("model{index - 1}") }}}} AS a\n{joins}')
    return f"    macro: per_key\n    params:\n      key: c0\n      input: model{index - 2}\n      minimum: {index}\n"


def _sql(text: str) -> str:
    return "    sql: |\n" + "".join(f"      {line}\n" for line in text.splitlines())


def _columns(chance: random.Random, is_deployable: bool) -> str:  # noqa: FBT001 - passed on
    """Give 5 to 25 columns, 15 on average, with and without descriptions; a tenth declares none if it may."""
    if chance.random() < 0.1 and not is_deployable:
        return ""
    names = [*FIXED, *(f"{chance.choice(WORDS[:11])}_{number}" for number in range(chance.randint(0, 20)))]
    described = chance.random()
    return "    columns:\n" + "".join(
        f'      - name: {name}\n        type: "{chance.choice(TYPES)}"\n'
        + (f"        description: {_text(chance, 6)}\n" if chance.random() < described else "")
        for name in names
    )
