import { describe, expect, it } from "vitest";
import type { Around, Graph, GraphEdge, GraphNode } from "../api/client";
import { placeOf, written } from "../place";
import { visible } from "../text";
import { explored, fieldPath, hidden, merged } from "./store";
import { viewOf } from "./view";
import { stepFrom } from "./walk";

const AROUND: Around = { node: 1, upstream: 1, downstream: 1, fields: false, retired: false };

function node(id: number, more: Partial<GraphNode> = {}): GraphNode {
  return {
    id,
    kind: "container",
    name: `t${id}`,
    visible: true,
    removed: false,
    distance: 0,
    hidden: { upstream: 0, downstream: 0 },
    self: false,
    ...more,
  } as GraphNode;
}

function edge(id: number, source: number, target: number, more: Partial<GraphEdge> = {}): GraphEdge {
  return {
    id,
    source,
    target,
    source_field: null,
    target_field: null,
    origins: [{ origin: "openlineage", id }],
    retired: false,
    jobs: [{ id: 9, namespace: "n", name: "job" }],
    producers: ["p"],
    ...more,
  };
}

const answer = (nodes: GraphNode[], edges: GraphEdge[]): Graph => ({ node: 1, nodes, edges, truncated: false });
const options = { jobs: true, open: new Set<number>(), field: null };

describe("what is not shown", () => {
  it("is what the server counted", () => {
    const graph = explored(AROUND, answer([node(1), node(2, { hidden: { upstream: 3, downstream: 0 } })], [edge(1, 2, 1)]));
    expect(hidden(graph, 2, "upstream")).toBe(3);
  });

  it("grows smaller as other answers bring the neighbours", () => {
    const graph = explored(AROUND, answer([node(1), node(2, { hidden: { upstream: 0, downstream: 1 } })], [edge(1, 2, 1)]));
    const more = merged(graph, AROUND, answer([node(3, { hidden: { upstream: 0, downstream: 0 } })], [edge(2, 2, 3)]));
    expect(hidden(more, 2, "downstream")).toBe(0);
  });
});

describe("what is drawn", () => {
  it("puts a job between the datasets that it reads and writes, once", () => {
    const graph = explored(AROUND, answer([node(1), node(2), node(3)], [edge(1, 1, 3), edge(2, 2, 3)]));
    const view = viewOf(graph, options);
    expect(view.boxes.filter((box) => box.kind === "job").map((box) => box.id)).toEqual(["j9"]);
    expect(view.lines.map((line) => line.id)).toEqual(["d1>j9", "j9>d3", "d2>j9"]);
  });

  it("draws an edge whose jobs the caller may not see from dataset to dataset", () => {
    const graph = explored(AROUND, answer([node(1), node(2)], [edge(1, 1, 2, { jobs: [] })]));
    expect(viewOf(graph, options).lines.map((line) => [line.id, line.label])).toEqual([["d1>d2", "p"]]);
  });

  it("draws no line from a dataset to itself", () => {
    const graph = explored(AROUND, answer([node(1)], [edge(1, 1, 1)]));
    expect(viewOf(graph, options).lines).toEqual([]);
  });

  it("draws field edges of the followed field and what it leads to, and no other", () => {
    const fields = [
      edge(10, 1, 2, { source_field: 11, target_field: 21 }),
      edge(11, 2, 3, { source_field: 21, target_field: 31 }),
      edge(12, 1, 2, { source_field: 12, target_field: 22 }),
    ];
    const graph = explored(AROUND, answer([node(1), node(2), node(3)], fields));
    expect(fieldPath(graph, 21).edges.map((one) => one.id).sort()).toEqual([10, 11]);
    expect(viewOf(graph, { ...options, field: 21 }).lines.map((line) => line.id).sort()).toEqual(["f10", "f11"]);
  });
});

describe("walking", () => {
  const graph = explored(AROUND, answer([node(1), node(2), node(3)], [edge(1, 1, 2, { jobs: [] }), edge(2, 1, 3, { jobs: [] })]));
  const view = viewOf(graph, options);
  const positions = { d1: { x: 0, y: 50 }, d2: { x: 300, y: 0 }, d3: { x: 300, y: 60 } };

  it("goes along a line to the nearest box", () => expect(stepFrom(view, positions, "d1", "right")).toBe("d3"));
  it("goes back", () => expect(stepFrom(view, positions, "d2", "left")).toBe("d1"));
  it("goes up and down in a column", () => expect(stepFrom(view, positions, "d3", "up")).toBe("d2"));
  it("stays where nothing lies", () => expect(stepFrom(view, positions, "d2", "up")).toBeNull());
});

describe("the address", () => {
  it("says what is shown", () => {
    const place = { node: 7, upstream: 3, downstream: 1 };
    expect(placeOf(`#${written(place)}`)).toEqual(place);
  });
  it.each(["#node=0", "#node=x", "#", "#node=1e999"])("%s names nothing", (hash) => expect(placeOf(hash)).toBeNull());
  it("has a bound on steps", () => expect(placeOf("#node=1&upstream=999999")?.upstream).toBe(20));
});

it("writes what cannot be seen as an escape", () => {
  expect(visible("a\u202eb\u0000c\u200b")).toBe("a\\u202eb\\u0000c\\u200b");
});
