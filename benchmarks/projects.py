"""Projects of any size that look like real ones: chains, fan-in, macros, 20 columns each."""

from collections.abc import Iterator
from pathlib import Path

COLUMNS = 20
TYPES = ("STRING", "BIGINT", "DECIMAL(18, 2)", "TIMESTAMP_LTZ(3)", "BOOLEAN")

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


def write_project(folder: Path, models: int, *, files: int) -> None:
    """Write a project of `models` models in `folder`, in one big file or in about `files` small ones."""
    (folder / "macros").mkdir(parents=True)
    (folder / "macros" / "per_key.sql.j2").write_text(MACRO)
    declarations = list(_models(models))
    if files == 1:
        (folder / "stream_project.yml").write_text(ROOT + _sources(models) + "models:\n" + "".join(declarations))
        return
    (folder / "stream_project.yml").write_text(ROOT + _sources(models))
    size = -(-len(declarations) // files)
    for index, start in enumerate(range(0, len(declarations), size)):
        path = folder / "models" / f"area{index % 20:02}" / f"part{index:05}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("models:\n" + "".join(declarations[start : start + size]))


def _sources(models: int) -> str:
    return "sources:\n" + "".join(
        f"  - name: source{index}\n    topic: raw.source{index}.v1\n    description: Records of system {index}.\n"
        f"    owner: team-{index % 7}\n{_columns()}"
        for index in range(max(1, models // 20))
    )


def _models(models: int) -> Iterator[str]:
    for index in range(models):
        yield (
            (
                f"  - name: model{index}\n    description: Model number {index}, made for measuring.\n"
                f"    owner: team-{index % 7}\n    tags: [bench, area{index % 20}]\n"
            )
            + _feed(index, max(1, models // 20))
            + _columns()
        )


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


def _columns() -> str:
    return "    columns:\n" + "".join(
        f"      - name: c{index}\n        type: {TYPES[index % len(TYPES)]}\n"
        f"        description: Column {index} of the record.\n"
        for index in range(COLUMNS)
    )
