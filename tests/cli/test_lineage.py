"""`streamt lineage` in all its formats, and `--select` of the commands that have it."""

import json
import os
import re
import stat
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from streamt.cli.graph_tree import to_tree
from streamt.compiler import Lineage
from tests.cli.program import MINIMAL, export, export_json, streamt, write_project
from tests.compiler.projects import SOURCES, project
from tests.openlineage.projects import model

# The models stand in the order of files, which is not that of the flow; the exposure has two names to escape.
CHAIN = (
    MINIMAL.replace(
        "models:\n", "models:\n  - {name: first, sql: 'SELECT id FROM {{ ref(\"paid\") }}', tags: [daily]}\n"
    )
    + """\
  - name: 'say "hi"'
    topic: {name: hi}
    sql: SELECT COUNT(*) FROM {{ ref("paid") }} p JOIN {{ source("orders") }} o ON p.id = o.id
    columns: [{name: id}]
  - name: lonely
    topic: {name: lonely}
    columns: [{name: id}]
tests:
  - {name: t, model: paid, type: schema, assertions: [{not_null: {columns: [id]}}]}
  - {name: u, source: orders, type: schema, assertions: [{not_null: {columns: [id]}}]}
exposures:
  - {name: '<b>board</b>', type: dashboard, owner: ops, consumes: [{ref: 'say "hi"'}]}
"""
)


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    return write_project(tmp_path, CHAIN)


def data_of(*arguments: str | Path) -> dict[str, list[dict[str, object]]]:
    data: dict[str, list[dict[str, object]]] = streamt("--output", "json", *arguments).envelope["data"]
    return data


def names(*arguments: str | Path) -> list[object]:
    return [node["name"] for node in data_of("lineage", *arguments)["nodes"]]


def test_text_is_a_line_for_each_node_in_the_order_of_flow(chain: Path) -> None:
    assert streamt("lineage", "-p", chain).stdout.decode().splitlines() == [
        "orders        source    topic orders.v1",
        "lonely        topic     topic lonely",
        "paid          flink     topic paid       <- orders",
        "first         flink     topic first      <- paid",
        'say "hi"      flink     topic hi         <- paid, orders',
        '<b>board</b>  exposure  dashboard        <- say "hi"',
    ]


def test_a_tree_has_each_node_once_and_names_it_where_it_is_read_again(chain: Path) -> None:
    assert streamt("lineage", "--format", "tree", "-p", chain).stdout.decode().splitlines() == [
        "orders                 source    topic orders.v1",
        "├─ paid                flink     topic paid",
        "│  ├─ first            flink     topic first",
        '│  └─ say "hi"         flink     topic hi         <- also orders',
        "│     └─ <b>board</b>  exposure  dashboard",
        '└─ say "hi" (above)',
        "lonely                 topic     topic lonely",
    ]


def test_a_chain_of_any_length_is_a_tree() -> None:
    nodes = [model("m0"), *(model(f"m{index}", f"m{index - 1}") for index in range(1, 3000))]
    lines = list(to_tree(Lineage.of(project(SOURCES).document, nodes)))
    assert sum("(below)" not in line for line in lines) == 3000
    assert max(map(len, lines)) < 250


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], ["orders", "paid", "first", 'say "hi"', "<b>board</b>"]),
        (["--upstream"], ["orders", "paid"]),
        (["--downstream"], ["paid", "first", 'say "hi"', "<b>board</b>"]),
        (["--upstream", "--downstream"], ["orders", "paid", "first", 'say "hi"', "<b>board</b>"]),
    ],
)
def test_lineage_around_a_model(chain: Path, options: list[str], expected: list[str]) -> None:
    assert names("--model", "paid", *options, "-p", chain) == expected


def test_lineage_around_an_exposure(chain: Path) -> None:
    assert names("--model", "<b>board</b>", "-p", chain) == ["orders", "paid", 'say "hi"', "<b>board</b>"]


def test_an_unknown_model_gets_a_did_you_mean(chain: Path) -> None:
    ended = streamt("--output", "json", "lineage", "--model", "piad", "-p", chain)
    assert (ended.status, ended.codes) == (2, ["E500_USAGE_ERROR"])
    assert "paid" in ended.envelope["errors"][0]["hint"]


def test_json_is_the_envelope_s_data(chain: Path) -> None:
    printed = json.loads(streamt("lineage", "--format", "json", "-p", chain).stdout)
    assert printed == data_of("lineage", "-p", chain)
    assert {"from": "orders", "to": "paid"} in printed["edges"]


@pytest.mark.parametrize("graph_format", ["dot", "mermaid", "tree", "text", "html"])
def test_json_mode_carries_the_format_that_was_asked_for(chain: Path, graph_format: str) -> None:
    data = streamt("--output", "json", "lineage", "--format", graph_format, "-p", chain).envelope["data"]
    shown = streamt("lineage", "--format", graph_format, "-p", chain).stdout.decode()
    assert (data["format"], data["text"], len(data["nodes"])) == (graph_format, shown, 6)


def test_dot_escapes_names_and_has_topics_and_classes(chain: Path) -> None:
    dot = streamt("lineage", "--format", "dot", "-p", chain).stdout.decode()
    assert '"paid" -> "say \\"hi\\"";' in dot
    assert '"say \\"hi\\"" -> "<b>board</b>";' in dot
    assert '"orders" [label="orders\\nsource\\norders.v1", shape=cylinder,' in dot
    assert dot.count("class=flink") == 3
    assert dot.endswith("}\n")


def test_mermaid_escapes_names_and_has_topics_and_classes(chain: Path) -> None:
    mermaid = streamt("lineage", "--format", "mermaid", "-p", chain).stdout.decode()
    assert mermaid.startswith("flowchart LR\n")
    assert '["say #34;hi#34;<br/>flink<br/>hi"]:::flink' in mermaid
    assert "(#60;b#62;board#60;#47;b#62;" not in mermaid
    assert '(["#60;b#62;board#60;#47;b#62;<br/>dashboard"]):::exposure' in mermaid
    assert "  classDef exposure fill:" in mermaid
    assert "classDef sink" not in mermaid
    assert "n2 --> n3" in mermaid


# The HTML page; tests/page tries it in a browser.


def page_of(folder: Path) -> str:
    return streamt("lineage", "--format", "html", "-p", folder).stdout.decode()


def test_the_page_asks_nothing_of_any_network(chain: Path) -> None:
    page = page_of(chain)
    assert "default-src 'none'" in page
    assert re.findall(r"""(?:src|href)\s*=|url\((?!#)|@import|https?://""", page) == []


class Elements(HTMLParser):
    """Which elements a page has, and the text of its cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _ in attributes if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '" onclick="alert(1)',
    "' autofocus onfocus='alert(1)",
    "</style><svg onload=alert(1)>",
    "&lt;b&gt;",
    "javascript:alert(1)",
    "]]><!--",
]


def test_no_name_becomes_an_element_of_the_page(tmp_path: Path) -> None:
    def entry(name: str) -> str:
        text = json.dumps(name)
        return f"  - {{name: {text}, type: api, owner: {text}, description: {text}, consumes: [{{ref: paid}}]}}\n"

    hostile = write_project(tmp_path / "bad", MINIMAL + "exposures:\n" + "".join(map(entry, HOSTILE)))
    plain = write_project(tmp_path / "good", MINIMAL + "exposures:\n" + "".join(entry(f"n{i}") for i in range(8)))
    found, expected = Elements(page_of(hostile)), Elements(page_of(plain))
    assert (found.tags, found.handlers) == (expected.tags, [])
    assert set(HOSTILE) <= set(found.texts)


def test_a_page_goes_to_a_file_and_opens_in_the_browser(chain: Path, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {tmp_path}/opened\n')
    browser.chmod(browser.stat().st_mode | stat.S_IEXEC)
    page = tmp_path / "out" / "page.html"
    ended = streamt("lineage", "--open", "--output-file", page, "-p", chain, BROWSER=str(browser))
    assert (ended.status, ended.stdout) == (0, f"wrote 6 nodes to {page}\n".encode())
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "opened").read_text() == page.resolve().as_uri()


def test_open_without_a_file_writes_one_of_its_own(chain: Path, tmp_path: Path) -> None:
    ended = streamt("lineage", "--open", "-p", chain, BROWSER="true", TMPDIR=str(tmp_path))
    (page,) = tmp_path.glob("streamt-lineage-*/lineage.html")
    assert ended.stdout.decode() == f"wrote 6 nodes to {page}\n"


def test_open_excludes_another_format(chain: Path) -> None:
    assert streamt("lineage", "--open", "--format", "dot", "-p", chain).status == 2


def test_a_picture_never_replaces_a_file_of_the_project(chain: Path) -> None:
    before = (chain / "stream_project.yml").read_bytes()
    ended = streamt("--output", "json", "lineage", "--output-file", chain / "stream_project.yml", "-p", chain)
    assert (ended.status, ended.codes) == (1, ["E505_OUTPUT_FAILED"])
    assert (chain / "stream_project.yml").read_bytes() == before


def test_a_terminal_gets_a_tree(chain: Path) -> None:
    pty = pytest.importorskip("pty", reason="no pseudo-terminals here")
    shown = bytearray()

    def read(number: int) -> bytes:
        piece = os.read(number, 65536)
        shown.extend(piece)
        return piece

    status = pty.spawn([sys.executable, "-m", "streamt", "lineage", "-p", str(chain)], read)
    assert status == 0
    assert "├─ paid" in shown.decode()


# --select


@pytest.mark.parametrize(
    ("selectors", "expected"),
    [
        (["paid"], {"paid"}),
        (["+paid"], {"orders", "paid"}),
        (["tag:daily"], {"first"}),
        (["+tag:daily", "lonely"], {"orders", "paid", "first", "lonely"}),
        (["+<b>board</b>"], {"orders", "paid", 'say "hi"', "<b>board</b>"}),
        (["first+"], {"first"}),
    ],
)
def test_select_means_the_same_everywhere(chain: Path, selectors: list[str], expected: set[str]) -> None:
    options = [word for each in selectors for word in ("--select", each)]
    assert set(names(*options, "-p", chain)) == expected
    listed = data_of("list", *options, "-p", chain)
    assert {row["name"] for kind in ("sources", "models", "exposures") for row in listed[kind]} == expected
    tests = [name for name, target in (("t", "paid"), ("u", "orders")) if target in expected]
    assert [row["name"] for row in listed["tests"]] == tests
    assert [row["name"] for row in data_of("test", *options, "-p", chain)["tests"]] == tests
    jobs = {event["job"]["name"].rpartition("/")[2] for event in exported(chain, *options) if "job" in event}
    assert jobs == {name.replace('"', "%22").replace(" ", "%20") for name in expected & {"paid", "first", 'say "hi"'}}


def exported(folder: Path, *options: str) -> list[dict[str, Any]]:
    return export(folder, *options).events


@pytest.mark.parametrize("command", [["list"], ["lineage"], ["test"], ["docs", "openlineage", "--job-namespace", "j"]])
def test_an_unknown_selector_is_wrong_usage_everywhere(chain: Path, command: list[str]) -> None:
    ended = streamt("--output", "json", *command, "--select", "+piad", "-p", chain)
    assert (ended.status, ended.codes) == (2, ["E500_USAGE_ERROR"])
    assert "`paid`" in ended.envelope["errors"][0]["hint"]


def test_an_export_of_a_selection_names_what_it_does_not_tell_of(chain: Path) -> None:
    dataset, job = exported(chain, "--select", "first")
    assert dataset["dataset"]["name"] == "first"
    assert [each["name"] for each in job["inputs"]] == ["paid"]


def test_an_export_of_a_selection_says_so(chain: Path, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    said = export(chain, "--select", "first", "--output-file", file).stdout.decode()
    assert said == f"wrote 2 events (1 dataset, 1 job) to {file}: only first of shop\n"
    assert export_json(chain, "--select", "first").envelope["data"]["select"] == ["first"]


def test_a_selection_without_a_dataset_is_no_export(chain: Path) -> None:
    ended = export_json(chain, "--select", "<b>board</b>")
    assert (ended.status, ended.codes) == (2, ["E500_USAGE_ERROR"])


def test_a_selection_needs_no_namespace_that_only_others_need(tmp_path: Path) -> None:
    gateway = "    bootstrap_servers: b:9092\n  conduktor: {gateway: {proxy_bootstrap: 'g:1,h:2'}}\n"
    text = MINIMAL.replace("    bootstrap_servers: b:9092\n", gateway).replace(
        "name: paid\n", "name: paid\n    materialized: virtual_topic\n"
    )
    folder = write_project(tmp_path, text)
    assert export(folder).status == 1
    assert [event["dataset"]["name"] for event in exported(folder, "--select", "orders")] == ["orders.v1"]


def test_strict_refuses_to_export_with_a_warning(chain: Path, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    ended = export(chain, "--strict", "--output-file", file)
    assert (ended.status, ended.stdout, file.exists()) == (1, b"", False)
    assert "W110_OPENLINEAGE_SCHEMA_INCOMPLETE" in ended.stderr
    assert export(chain, "--strict", "--select", "paid", "--output-file", file).status == 0
