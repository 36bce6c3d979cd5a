/** The same graph as a nested list: for screen readers, for phones, and for who likes lists. */
import { type ReactNode, useMemo } from "react";
import type { GraphEdge } from "../api/client";
import { type Explored, type Side, hidden, isTableEdge } from "../graph/store";
import { counted } from "../text";
import type { Explorer } from "../useExplorer";
import { Name } from "./Name";

const SIDES: [Side, string][] = [
  ["upstream", "Upstream"],
  ["downstream", "Downstream"],
];

export function Outline({ explorer }: { explorer: Explorer }) {
  const { graph } = explorer;
  const sides = useMemo(() => (graph ? SIDES.map(([side, title]) => ({ side, title, tree: treeOf(graph, side) })) : []), [graph]);
  const focus = graph?.nodes.get(graph.focus);
  if (!graph || !focus) return null;
  return (
    <nav className="outline" aria-label="Lineage as a list">
      <h2>
        <button type="button" className="link" onClick={() => explorer.select({ kind: "node", node: focus.id })}>
          <Name>{focus.name}</Name>
        </button>
      </h2>
      {sides.map(({ side, title, tree }) => (
        <section key={side}>
          <h3>{title}</h3>
          {tree.length === 0 && hidden(graph, focus.id, side) === 0 && <p className="quiet">nothing is known</p>}
          <ul>{<Branches explorer={explorer} side={side} branches={tree} parent={focus.id} />}</ul>
        </section>
      ))}
    </nav>
  );
}

interface Branch {
  node: number;
  edge: GraphEdge;
  /** The first place of a node holds what lies beyond it; every other place only names it. */
  below: Branch[] | null;
}

/** Arrange what lies on one side of the focus as a tree, breadth first, each node unfolded once. */
function treeOf(graph: Explored, side: Side): Branch[] {
  const next = new Map<number, GraphEdge[]>();
  for (const edge of graph.edges.values()) {
    if (!isTableEdge(edge) || edge.source === edge.target) continue;
    const from = side === "upstream" ? edge.target : edge.source;
    next.set(from, [...(next.get(from) ?? []), edge]);
  }
  const seen = new Set([graph.focus]);
  const root: Branch[] = [];
  const open: [number, Branch[]][] = [[graph.focus, root]];
  for (const [from, into] of open) {
    for (const edge of next.get(from) ?? []) {
      const node = side === "upstream" ? edge.source : edge.target;
      const first = !seen.has(node);
      const branch: Branch = { node, edge, below: first ? [] : null };
      into.push(branch);
      seen.add(node);
      if (branch.below) open.push([node, branch.below]);
    }
  }
  return root;
}

function Branches({ explorer, side, branches, parent }: { explorer: Explorer; side: Side; branches: Branch[]; parent: number }): ReactNode {
  const graph = explorer.graph!;
  const more = hidden(graph, parent, side);
  return (
    <>
      {branches.map((branch) => {
        const node = graph.nodes.get(branch.node);
        if (!node) return null;
        const rest = branch.below && (branch.below.length > 0 || hidden(graph, node.id, side) > 0);
        return (
          <li key={`${branch.edge.id}`}>
            <button type="button" className={`link${branch.edge.retired ? " retired" : ""}`} onClick={() => explorer.select({ kind: "node", node: node.id })}>
              <Name>{node.name}</Name>
            </button>
            <button
              type="button"
              className="link by"
              onClick={() => explorer.select({ kind: "edges", title: "Edge", edges: branch.edge.origins.map((one) => one.id) })}
            >
              {byWhom(branch.edge)}
            </button>
            {branch.below === null && <span className="quiet"> (listed above)</span>}
            {rest && (
              <ul>
                <Branches explorer={explorer} side={side} branches={branch.below!} parent={node.id} />
              </ul>
            )}
          </li>
        );
      })}
      {more > 0 && (
        <li>
          <button type="button" className="link" onClick={() => explorer.more(parent, side)}>
            + {more} more
          </button>
        </li>
      )}
    </>
  );
}

function byWhom(edge: GraphEdge): ReactNode {
  if (edge.retired) return "retired";
  if (edge.origins.some((one) => one.origin === "manual") && edge.jobs.length === 0) return "drawn by hand";
  if (edge.jobs.length === 1)
    return (
      <>
        by <Name>{edge.jobs[0]!.name}</Name>
      </>
    );
  if (edge.jobs.length > 1) return `by ${counted(edge.jobs.length, "job")}`;
  return "asserted";
}
