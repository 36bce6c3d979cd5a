/** Lays boxes out from left to right, the way data flows. */
import dagre from "@dagrejs/dagre";
import type { Answer, Positions, Request } from "./layout";

// Untangling crossings costs more than everything else in a big graph, and helps least there.
const BIG = 300;

self.onmessage = (message: MessageEvent<Request>) => {
  const { number, sizes, links } = message.data;
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", ranker: "tight-tree", nodesep: 18, ranksep: 70, edgesep: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of sizes) graph.setNode(id, { width, height });
  for (const [source, target] of links) graph.setEdge(source, target);
  dagre.layout(graph, { disableOptimalOrderHeuristic: sizes.length > BIG });
  const positions: Positions = {};
  for (const { id, width, height } of sizes) {
    const at = graph.node(id);
    positions[id] = { x: at.x - width / 2, y: at.y - height / 2 };
  }
  const answer: Answer = { number, positions };
  self.postMessage(answer);
};
