/** The part of the lineage graph that was fetched: answers are merged, and what is not in them is counted. */
import type { Around, Graph, GraphEdge, GraphNode } from "../api/client";

export type Side = "upstream" | "downstream";

export interface Known extends GraphNode {
  /** How many neighbours there are in all, shown or not. */
  degree: Record<Side, number>;
}

export interface Explored {
  focus: number;
  nodes: ReadonlyMap<number, Known>;
  edges: ReadonlyMap<number, GraphEdge>;
  /** What was asked, so that it can be asked again with fields or with retired edges. */
  asked: readonly Around[];
  truncated: boolean;
}

export const isTableEdge = (edge: GraphEdge): boolean => edge.source_field === null;

/** Return the graph of one answer. */
export function explored(around: Around, answer: Graph): Explored {
  const empty: Explored = { focus: answer.node, nodes: new Map(), edges: new Map(), asked: [], truncated: false };
  return merged(empty, around, answer);
}

/** Return `before` with what another answer adds. */
export function merged(before: Explored, around: Around, answer: Graph): Explored {
  const nodes = new Map(before.nodes);
  const edges = new Map(before.edges);
  for (const edge of answer.edges) edges.set(edge.id, edge);
  for (const node of answer.nodes) {
    const degree = {
      upstream: node.hidden.upstream + neighbours(answer.edges, node.id, "upstream").size,
      downstream: node.hidden.downstream + neighbours(answer.edges, node.id, "downstream").size,
    };
    const known = nodes.get(node.id);
    nodes.set(node.id, { ...node, fields: node.fields ?? known?.fields ?? null, degree });
  }
  return { focus: before.focus, nodes, edges, asked: [...before.asked, around], truncated: before.truncated || answer.truncated };
}

/** Return how many neighbours of a node are not shown. */
export function hidden(graph: Explored, node: number, side: Side): number {
  const known = graph.nodes.get(node);
  return known ? Math.max(0, known.degree[side] - neighbours(graph.edges.values(), node, side).size) : 0;
}

/** Return the nodes next to a node, by table edges. */
export function neighbours(edges: Iterable<GraphEdge>, node: number, side: Side): Set<number> {
  const found = new Set<number>();
  for (const edge of edges) {
    if (!isTableEdge(edge)) continue;
    const [here, there] = side === "upstream" ? [edge.target, edge.source] : [edge.source, edge.target];
    if (here === node && there !== node) found.add(there);
  }
  return found;
}

/** Return the field edges upstream and downstream of a field, with all fields on the way. */
export function fieldPath(graph: Explored, field: number): { edges: GraphEdge[]; fields: Set<number> } {
  const all = [...graph.edges.values()].filter((edge) => !isTableEdge(edge));
  const fields = new Set([field]);
  const edges = new Map<number, GraphEdge>();
  for (const [from, to] of [["source_field", "target_field"], ["target_field", "source_field"]] as const) {
    const open = [field];
    const seen = new Set(open);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const edge of all) {
        const next = edge[to];
        if (edge[from] !== at || next === null) continue;
        edges.set(edge.id, edge);
        fields.add(next);
        if (!seen.has(next)) {
          seen.add(next);
          open.push(next);
        }
      }
    }
  }
  return { edges: [...edges.values()], fields };
}
