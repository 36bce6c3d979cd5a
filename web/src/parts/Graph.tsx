/** The graph: laid out in a worker, drawn by React Flow, walked by keyboard. */
import {
  BaseEdge,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  MarkerType,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  getBezierPath,
  useReactFlow,
} from "@xyflow/react";
import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Client } from "../api/client";
import { Layouter, type Positions } from "../graph/layout";
import { type Side, fieldPath, hidden } from "../graph/store";
import { type Box, type Line, MOST_ROWS, type View, datasetId, heightOf, viewOf } from "../graph/view";
import { type Direction, stepFrom } from "../graph/walk";
import { counted, short, visible } from "../text";
import type { Explorer } from "../useExplorer";
import { Dataset, type DatasetNode, type Deeds, Job, type JobNode } from "./Boxes";
import { EvidenceSummary, useEdge } from "./Evidence";

interface LineData extends Record<string, unknown> {
  line: Line;
  hover: (line: Line | null) => void;
  show: (line: Line) => void;
}

const KINDS = { dataset: Dataset, job: Job };
const LINES = { line: memo(LineOf) };
const ARROWS: Record<string, Direction> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

export function GraphView({ client, explorer }: { client: Client; explorer: Explorer }) {
  return (
    <ReactFlowProvider>
      <Drawn client={client} explorer={explorer} />
    </ReactFlowProvider>
  );
}

function Drawn({ client, explorer }: { client: Client; explorer: Explorer }) {
  const { graph, jobs, open, field, selection } = explorer;
  const flow = useReactFlow();
  const view = useMemo(() => (graph ? viewOf(graph, { jobs, open, field }) : null), [graph, jobs, open, field]);
  const positions = useLayout(view);
  const [stop, setStop] = useState<string | null>(null);
  const [hovered, setHovered] = useState<Line | null>(null);
  const focus = graph ? datasetId(graph.focus) : null;
  const at = stop !== null && view?.boxes.some((box) => box.id === stop) ? stop : focus;

  const latest = useRef({ explorer, view, positions });
  latest.current = { explorer, view, positions };

  const reach = useCallback(
    (id: string, takesFocus: boolean) => {
      setStop(id);
      if (takesFocus) requestAnimationFrame(() => document.getElementById(`box-${id}`)?.focus({ preventScroll: true }));
      const { view, positions } = latest.current;
      const box = view?.boxes.find((one) => one.id === id);
      const place = positions?.[id];
      if (box && place) void flow.setCenter(place.x + 108, place.y + heightOf(box) / 2, { zoom: flow.getZoom(), duration: calm() });
    },
    [flow],
  );

  const deeds = useMemo<Deeds>(() => {
    const boxOf = (id: string) => latest.current.view?.boxes.find((box) => box.id === id);
    return {
      focused: setStop,
      more: (node, side) => latest.current.explorer.more(node, side),
      fold: (node) => latest.current.explorer.fold(node),
      trace: (one) => latest.current.explorer.trace(one),
      key: (id, event) => {
        const { explorer, view, positions } = latest.current;
        const box = boxOf(id);
        if (box && view && positions) pressed(event, box, { explorer, view, positions, reach });
      },
    };
  }, [reach]);

  useEffect(() => {
    if (!focus || !positions?.[focus]) return;
    const small = window.matchMedia("(max-width: 760px)").matches;
    void flow.fitView({ maxZoom: 1, minZoom: small ? 0.4 : 0.2, padding: 0.08, duration: calm() });
    // Only a new focus moves the view: what is added later must not pull the graph from under the pointer.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [flow, focus, positions !== null && focus !== null && focus in positions]);

  const chosen = selectedBox(view, explorer);
  useEffect(() => {
    // The panel takes room from the graph: what it speaks of stays in sight.
    const timer = setTimeout(() => chosen && reach(chosen, false), 50);
    return () => clearTimeout(timer);
  }, [chosen, reach]);

  const nodes = useMemo(
    () => (graph && view && positions ? nodesOf(explorer, view, positions, deeds, at) : []),
    [graph, view, positions, deeds, at, field, selection],
  );
  const edges = useMemo(
    () => (view && positions ? edgesOf(view, positions, setHovered, (line) => explorer.select(linesSelection(line))) : []),
    [view, positions, explorer.select],
  );
  const drawn = nodes.length > 0;
  return (
    <section className="graph" aria-label="Lineage graph" data-drawn={drawn ? nodes.length : 0} aria-busy={explorer.busy || !drawn}>
      <p className="sr-only" id="walk-help">
        Left and right arrows walk along the lineage, up and down among neighbours. Enter opens the details, Space the
        fields, E the edges, Shift with left or right shows more, Escape closes.
      </p>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={KINDS}
        edgeTypes={LINES}
        disableKeyboardA11y
        nodesFocusable={false}
        edgesFocusable={false}
        onNodeClick={(_, node) => showBox(explorer, view?.boxes.find((box) => box.id === node.id))}
        nodesConnectable={false}
        nodesDraggable={false}
        elementsSelectable={false}
        zoomOnDoubleClick={false}
        minZoom={0.05}
        maxZoom={2}
        proOptions={{ hideAttribution: false }}
        aria-describedby="walk-help"
      >
        <Controls showInteractive={false} position="bottom-left" />
      </ReactFlow>
      {hovered && <Hovered client={client} line={hovered} />}
    </section>
  );
}

/** Motion only for those who like it. */
function calm(): number {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200;
}

function useLayout(view: View | null): Positions | null {
  const [positions, setPositions] = useState<Positions | null>(null);
  const layouter = useRef<Layouter | null>(null);
  useEffect(() => {
    layouter.current = new Layouter();
    return () => layouter.current?.close();
  }, []);
  useEffect(() => {
    if (view) layouter.current?.ask(view, setPositions);
    else setPositions(null);
  }, [view]);
  return positions;
}

interface Walk {
  explorer: Explorer;
  view: View;
  positions: Positions;
  reach: (id: string, takesFocus: boolean) => void;
}

function pressed(event: KeyboardEvent, box: Box, walk: Walk): void {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const direction = ARROWS[event.key];
  if (direction) arrow(event.shiftKey, direction, box, walk);
  else if (event.key === "Enter") showBox(walk.explorer, box);
  else if (event.key === " " && box.kind === "dataset") walk.explorer.fold(box.node.id);
  else if (event.key === "e" || event.key === "E") walk.explorer.select(edgesAt(box, walk.view));
  else if (event.key === "Escape") walk.explorer.select(null);
  else return;
  event.preventDefault();
}

function arrow(shift: boolean, direction: Direction, box: Box, walk: Walk): void {
  const side: Side | null = direction === "left" ? "upstream" : direction === "right" ? "downstream" : null;
  const next = shift ? null : stepFrom(walk.view, walk.positions, box.id, direction);
  if (next) walk.reach(next, true);
  else if (side && box.kind === "dataset" && walk.explorer.graph && hidden(walk.explorer.graph, box.node.id, side) > 0)
    walk.explorer.more(box.node.id, side);
}

function showBox(explorer: Explorer, box: Box | undefined): void {
  if (box?.kind === "dataset") explorer.select({ kind: "node", node: box.node.id });
  if (box?.kind === "job") explorer.select({ kind: "job", namespace: box.job.namespace, name: box.job.name });
}

function edgesAt(box: Box, view: View) {
  const ids = view.lines.filter((line) => line.source === box.id || line.target === box.id).flatMap((line) => line.edges);
  const name = box.kind === "job" ? box.job.name : box.node.name;
  return { kind: "edges" as const, title: `Edges of ${visible(name)}`, edges: [...new Set(ids)] };
}

function linesSelection(line: Line) {
  return { kind: "edges" as const, title: line.edges.length === 1 ? "Edge" : counted(line.edges.length, "edge"), edges: line.edges };
}

function nodesOf(explorer: Explorer, view: View, positions: Positions, deeds: Deeds, at: string | null): Node[] {
  const graph = explorer.graph!;
  const traced = explorer.field === null ? null : fieldPath(graph, explorer.field).fields;
  return view.boxes.flatMap((box): (DatasetNode | JobNode)[] => {
    const position = positions[box.id];
    if (!position) return [];
    const common = { deeds, stop: box.id === at, selected: isSelected(explorer, box) };
    const size = { width: 216, height: heightOf(box) };
    if (box.kind === "job") return [{ id: box.id, type: "job", position, ...size, data: { box, common } }];
    const more = { upstream: hidden(graph, box.node.id, "upstream"), downstream: hidden(graph, box.node.id, "downstream") };
    const data = { box, common, focus: box.node.id === graph.focus, hidden: more, traced, field: explorer.field };
    return [{ id: box.id, type: "dataset", position, ...size, data }];
  });
}

function selectedBox(view: View | null, explorer: Explorer): string | null {
  return view?.boxes.find((box) => isSelected(explorer, box))?.id ?? null;
}

function isSelected({ selection }: Explorer, box: Box): boolean {
  if (selection?.kind === "node") return box.kind === "dataset" && box.node.id === selection.node;
  return selection?.kind === "job" && box.kind === "job" && box.job.name === selection.name && box.job.namespace === selection.namespace;
}

function edgesOf(view: View, positions: Positions, hover: LineData["hover"], show: LineData["show"]): Edge<LineData>[] {
  const boxes = new Map(view.boxes.map((box) => [box.id, box]));
  return view.lines
    .filter((line) => positions[line.source] && positions[line.target])
    .map((line) => ({
      id: line.id,
      type: "line",
      source: line.source,
      target: line.target,
      sourceHandle: handleOf(boxes.get(line.source), line.sourceField),
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: line.sourceField === null ? "var(--edge)" : "var(--accent)" },
      targetHandle: handleOf(boxes.get(line.target), line.targetField),
      className: [line.retired && "retired", line.manual && "manual", line.sourceField !== null && "of-fields"].filter(Boolean).join(" "),
      data: { line, hover, show },
    }));
}

/** A field that is not shown is reached by its box. */
function handleOf(box: Box | undefined, field: number | null): string | null {
  const shown = box?.kind === "dataset" && box.open && box.node.fields?.slice(0, MOST_ROWS).some((one) => one.id === field);
  return shown ? `f${field}` : null;
}

function LineOf({ data, markerEnd, ...edge }: EdgeProps<Edge<LineData>>) {
  const [path, x, y] = getBezierPath(edge);
  if (!data) return null;
  const { line, hover, show } = data;
  return (
    <>
      <BaseEdge path={path} interactionWidth={0} {...(markerEnd ? { markerEnd } : {})} />
      <EdgeLabelRenderer>
        <button
          type="button"
          className={`badge nodrag${line.label ? "" : " dot"}${line.retired ? " retired" : ""}`}
          tabIndex={-1}
          aria-hidden="true"
          style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
          onMouseEnter={() => hover(line)}
          onMouseLeave={() => hover(null)}
          onClick={() => show(line)}
        >
          {line.label ? short(line.label, 24) : ""}
        </button>
      </EdgeLabelRenderer>
    </>
  );
}

function Hovered({ client, line }: { client: Client; line: Line }) {
  const edge = useEdge(client, line.edges[0] ?? null);
  const rest = line.edges.length - 1;
  return (
    <aside className="hovered" role="status">
      {edge === null ? "…" : typeof edge === "string" ? edge : <EvidenceSummary edge={edge} />}
      {rest > 0 && <p className="quiet">and {counted(rest, "more edge")}: click to see all</p>}
    </aside>
  );
}
