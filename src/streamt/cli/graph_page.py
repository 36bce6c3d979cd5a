"""The lineage as one HTML page that needs nothing else: no network, no other file.

Names are text and attributes that are escaped, and the page's policy lets no script run but its own.
"""

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from pathlib import Path

from streamt.cli.graph_formats import STYLES, class_of, detail_of
from streamt.cli.graph_layout import HEIGHT, WIDTH, Layout, Point, layout
from streamt.cli.output import counted
from streamt.compiler.lineage import EXPOSURE, Lineage, LineageNode

_FILES = Path(__file__).parent / "page"
_BEND = 40.0
_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 8 4 0 8z"/></marker></defs>\n'
)


def to_page(lineage: Lineage, project: str, environment: str) -> str:
    """Return the page.

    Args:
        lineage: what it shows.
        project: the project's name.
        environment: the name of the environment that the project was loaded for.
    """
    style, script = ((_FILES / name).read_text(encoding="utf-8") for name in ("lineage.css", "lineage.js"))
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    title = f"Lineage of {escape(project)}"
    numbers = counted(len(lineage.nodes), "node")
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="streamt">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p>environment {escape(environment)}, {numbers}</p>
<div class="tools">
<label class="unseen" for="search">Search</label>
<input type="search" id="search" placeholder="Search (/)" autocomplete="off">
<button type="button" id="out" aria-label="Zoom out">-</button>
<button type="button" id="in" aria-label="Zoom in">+</button>
<button type="button" id="fit">Fit</button>
<span id="found" role="status"></span>
</div>
<ul class="legend" aria-label="Legend">{"".join(_legend(lineage))}</ul>
</header>
<main>
<div id="view" role="region" aria-label="Graph" tabindex="0">{"".join(_graph(lineage))}</div>
<aside id="details" aria-label="Details" aria-live="polite">
<h2>Nothing is selected</h2>
<p>Choose a node to see what it reads and what reads it, directly or not.</p>
<p><kbd>/</kbd> search, <kbd>Enter</kbd> go to the first match, <kbd>&larr;</kbd> <kbd>&rarr;</kbd> follow an edge,
<kbd>&uarr;</kbd> <kbd>&darr;</kbd> stay in the layer, <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom,
<kbd>Esc</kbd> clear.</p>
</aside>
</main>
<section aria-label="Table">
<details>
<summary>The same as a table, in the order of flow</summary>
<table>
<thead><tr><th scope="col">{'</th><th scope="col">'.join(_COLUMNS)}</th></tr></thead>
<tbody>{"".join(map(_row, lineage.nodes))}</tbody>
</table>
</details>
</section>
<script>{script}</script>
</body>
</html>
"""


_COLUMNS = ("Name", "Kind", "Type", "Topic", "Owner", "Description", "Reads")


def _row(node: LineageNode) -> str:
    cells = (
        node.name,
        node.kind,
        node.type,
        node.output.name if node.output else "",
        node.owner or "",
        node.description or "",
        ", ".join(node.inputs),
    )
    return f"<tr><td>{'</td><td>'.join(map(escape, cells))}</td></tr>\n"


def _legend(lineage: Lineage) -> Iterator[str]:
    used = {class_of(node) for node in lineage.nodes}
    for name in STYLES:
        if name in used:
            yield f'<li><span class="{name}"></span>{name.replace("_", " ")}</li>'


def _graph(lineage: Lineage) -> Iterator[str]:
    placed = layout(lineage)
    index = {node.id: number for number, node in enumerate(lineage.nodes)}
    yield f'<div id="canvas" style="width:{placed.width:.0f}px;height:{placed.height:.0f}px">'
    yield f'<svg aria-hidden="true" width="{placed.width:.0f}" height="{placed.height:.0f}">'
    yield _ARROW
    for (source, target), points in placed.paths.items():
        back = ' class="back"' if index[source] > index[target] else ""
        yield f'<path{back} data-from="{index[source]}" data-to="{index[target]}" d="{_curve(points)}"/>\n'
    yield "</svg>\n"
    yield from (_box(node, placed) for node in lineage.nodes)
    yield "</div>"


def _box(node: LineageNode, placed: Layout) -> str:
    point, kind = placed.nodes[node.id], class_of(node)
    label = f"exposure, {node.type}" if kind == EXPOSURE else detail_of(node) or kind
    place = f"left:{point.x:.0f}px;top:{point.y:.0f}px;width:{WIDTH}px;height:{HEIGHT}px"
    name = escape(node.name)
    return (
        f'<button type="button" class="node {kind}" style="{place}" data-id="{escape(node.id)}" aria-pressed="false"'
        f' title="{name}"><b>{name}</b><i>{escape(label)}</i></button>\n'
    )


def _curve(points: tuple[Point, ...]) -> str:
    """Draw a line through the points: level through a layer, curved between two of them."""
    first, *rest = points
    drawn = [f"M{first.x:.0f} {first.y:.1f}"]
    for index, point in enumerate(rest):
        if index % 2:
            drawn.append(f"H{point.x:.0f}")
        else:
            left, right = (first.x + _BEND, point.x - _BEND)
            drawn.append(f"C{left:.0f} {first.y:.1f} {right:.0f} {point.y:.1f} {point.x:.0f} {point.y:.1f}")
        first = point
    return "".join(drawn)
