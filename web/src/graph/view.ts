/** From the known graph to what is drawn: boxes for datasets and jobs, and lines between them. */
import type { GraphEdge, JobRef } from "../api/client";
import { type Explored, type Known, fieldPath, isTableEdge } from "./store";

export interface DatasetBox {
  kind: "dataset";
  id: string;
  node: Known;
  open: boolean;
}

export interface JobBox {
  kind: "job";
  id: string;
  job: JobRef;
  edges: number[];
}

export type Box = DatasetBox | JobBox;

export interface Line {
  id: string;
  source: string;
  target: string;
  /** Handles of fields, for a line between fields. */
  sourceField: number | null;
  targetField: number | null;
  /** The edges of the catalog that this line stands for. */
  edges: number[];
  retired: boolean;
  manual: boolean;
  label: string;
}

export interface View {
  boxes: Box[];
  lines: Line[];
}

export interface Options {
  jobs: boolean;
  open: ReadonlySet<number>;
  field: number | null;
}

export const datasetId = (node: number): string => `d${node}`;
export const jobId = (job: number): string => `j${job}`;

/** Return what is drawn of the graph. */
export function viewOf(graph: Explored, options: Options): View {
  const boxes = new Map<string, Box>();
  const lines = new Map<string, Line>();
  for (const node of graph.nodes.values())
    boxes.set(datasetId(node.id), { kind: "dataset", id: datasetId(node.id), node, open: options.open.has(node.id) });
  for (const edge of graph.edges.values()) {
    if (!isTableEdge(edge) || !graph.nodes.has(edge.source) || !graph.nodes.has(edge.target)) continue;
    if (edge.source === edge.target) continue;
    if (options.jobs && edge.jobs.length > 0) throughJobs(edge, boxes, lines);
    else addLine(lines, datasetId(edge.source), datasetId(edge.target), edge);
  }
  if (options.field !== null) for (const line of fieldLines(graph, options.field)) lines.set(line.id, line);
  return { boxes: [...boxes.values()], lines: [...lines.values()] };
}

function throughJobs(edge: GraphEdge, boxes: Map<string, Box>, lines: Map<string, Line>): void {
  for (const job of edge.jobs) {
    const id = jobId(job.id);
    const box = boxes.get(id);
    if (box?.kind === "job") box.edges.push(edge.id);
    else boxes.set(id, { kind: "job", id, job, edges: [edge.id] });
    addLine(lines, datasetId(edge.source), id, edge);
    addLine(lines, id, datasetId(edge.target), edge);
  }
  if (isManual(edge)) addLine(lines, datasetId(edge.source), datasetId(edge.target), edge);
}

function addLine(lines: Map<string, Line>, source: string, target: string, edge: GraphEdge): void {
  const id = `${source}>${target}`;
  const known = lines.get(id);
  if (known) {
    known.edges.push(edge.id);
    known.retired &&= edge.retired;
    return;
  }
  const between = source.startsWith("d") && target.startsWith("d");
  lines.set(id, {
    id,
    source,
    target,
    sourceField: null,
    targetField: null,
    edges: [edge.id],
    retired: edge.retired,
    manual: isManual(edge),
    label: between ? labelOf(edge) : "",
  });
}

function isManual(edge: GraphEdge): boolean {
  return edge.origins.some((one) => one.origin === "manual");
}

function labelOf(edge: GraphEdge): string {
  const names = edge.jobs.map((job) => job.name);
  if (isManual(edge)) names.unshift("drawn by hand");
  if (names.length === 0) names.push(...edge.producers);
  if (names.length === 0) return edge.retired ? "retired" : "";
  return names.length === 1 ? names[0]! : `${names[0]} + ${names.length - 1} more`;
}

function fieldLines(graph: Explored, field: number): Line[] {
  return fieldPath(graph, field).edges.map((edge) => ({
    id: `f${edge.id}`,
    source: datasetId(edge.source),
    target: datasetId(edge.target),
    sourceField: edge.source_field,
    targetField: edge.target_field,
    edges: [edge.id],
    retired: edge.retired,
    manual: isManual(edge),
    label: "",
  }));
}

export const BOX = { width: 216, head: 46, row: 22, job: 30 } as const;
export const MOST_ROWS = 40;

/** Return the height of a box; rows have one height, so that the layout needs no measuring. */
export function heightOf(box: Box): number {
  if (box.kind === "job") return BOX.job;
  if (!box.open) return BOX.head;
  const fields = box.node.fields?.length ?? 0;
  return BOX.head + BOX.row * (Math.min(fields, MOST_ROWS) + (fields > MOST_ROWS ? 1 : 0) || 1) + 6;
}
