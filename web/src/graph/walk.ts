/** Walking the graph by keyboard: along lines, and among the boxes of one column. */
import type { Positions } from "./layout";
import type { View } from "./view";

export type Direction = "left" | "right" | "up" | "down";

/** Return the box that lies in that direction; null if there is none. */
export function stepFrom(view: View, positions: Positions, from: string, direction: Direction): string | null {
  const here = positions[from];
  if (!here) return null;
  const near = direction === "left" || direction === "right" ? along(view, from, direction) : column(view, positions, from);
  const usable = near.filter((id) => positions[id] && (direction === "left" || direction === "right" || beyond(positions, from, id, direction)));
  const distance = (id: string) => Math.abs(positions[id]!.y - here.y) + Math.abs(positions[id]!.x - here.x) / 1000;
  return usable.sort((one, two) => distance(one) - distance(two))[0] ?? null;
}

function along(view: View, from: string, direction: "left" | "right"): string[] {
  const table = view.lines.filter((line) => line.sourceField === null);
  return direction === "left"
    ? table.filter((line) => line.target === from).map((line) => line.source)
    : table.filter((line) => line.source === from).map((line) => line.target);
}

function column(view: View, positions: Positions, from: string): string[] {
  const x = positions[from]!.x;
  return view.boxes.map((box) => box.id).filter((id) => id !== from && positions[id] && Math.abs(positions[id]!.x - x) < 40);
}

function beyond(positions: Positions, from: string, to: string, direction: "up" | "down"): boolean {
  const step = positions[to]!.y - positions[from]!.y;
  return direction === "up" ? step < 0 : step > 0;
}
