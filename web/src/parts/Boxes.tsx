/** The boxes of the graph. */
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { type KeyboardEvent, memo } from "react";
import type { Side } from "../graph/store";
import { type DatasetBox, type JobBox, MOST_ROWS } from "../graph/view";
import { counted, visible } from "../text";
import { Name } from "./Name";

export interface Deeds {
  focused: (id: string) => void;
  key: (id: string, event: KeyboardEvent) => void;
  more: (node: number, side: Side) => void;
  fold: (node: number) => void;
  trace: (field: number | null) => void;
}

export interface Common {
  deeds: Deeds;
  /** Whether this box is the graph's one tab stop. */
  stop: boolean;
  selected: boolean;
}

export type DatasetNode = Node<
  { box: DatasetBox; common: Common; focus: boolean; hidden: Record<Side, number>; traced: ReadonlySet<number> | null; field: number | null },
  "dataset"
>;
export type JobNode = Node<{ box: JobBox; common: Common }, "job">;

function kindOf(box: DatasetBox): string {
  if (box.node.kind === "outside") return "outside the catalog";
  return [box.node.type ?? "dataset", box.node.system].filter(Boolean).join(", ");
}

function placeOf(box: DatasetBox): string {
  return box.node.namespace ?? box.node.datastore?.name ?? box.node.connection ?? "";
}

export const Dataset = memo(function Dataset({ data }: NodeProps<DatasetNode>) {
  const { box, common, hidden } = data;
  const { node } = box;
  const marks = [data.focus && "focus", common.selected && "selected", node.kind === "outside" && "outside", node.removed && "removed"];
  const more = (["upstream", "downstream"] as const).filter((side) => hidden[side] > 0).map((side) => `${hidden[side]} more ${side}`);
  const label = [`${visible(node.name)} ${visible(placeOf(box))}`.trim(), kindOf(box), node.removed ? "removed" : "", node.self ? "reads and writes itself" : "", ...more];
  return (
    <div className={["box", "dataset", ...marks].filter(Boolean).join(" ")}>
      <Handle type="target" position={Position.Left} className="port" isConnectable={false} />
      <div
        className="head"
        id={`box-${box.id}`}
        role="button"
        tabIndex={common.stop ? 0 : -1}
        aria-label={label.filter(Boolean).join(", ")}
        aria-expanded={box.open}
        onFocus={() => common.deeds.focused(box.id)}
        onKeyDown={(event) => common.deeds.key(box.id, event)}
      >
        <span className={`kind ${node.type ?? "outside"}`} aria-hidden="true" />
        <span className="title">
          <Name>{node.name}</Name>{" "}
          <span className="quiet">
            {(node.removed || node.self) && <span aria-hidden="true">{node.removed ? "removed, " : "⟲ "}</span>}
            <Name>{placeOf(box)}</Name>
          </span>
        </span>
      </div>
      {node.kind === "container" && node.visible && (
        <button
          type="button"
          className="fold nodrag"
          tabIndex={-1}
          aria-hidden="true"
          title={box.open ? "Fold the fields" : "Show the fields"}
          onClick={(event) => {
            event.stopPropagation();
            common.deeds.fold(node.id);
          }}
        >
          {box.open ? "▾" : "▸"}
        </button>
      )}
      {box.open && <Fields data={data} />}
      {(["upstream", "downstream"] as const).map(
        (side) =>
          hidden[side] > 0 && (
            <button
              key={side}
              type="button"
              className={`more ${side} nodrag`}
              tabIndex={-1}
              title={`Show ${hidden[side]} more ${side}`}
              onClick={(event) => {
                event.stopPropagation();
                common.deeds.more(node.id, side);
              }}
            >
              + {hidden[side]}
            </button>
          ),
      )}
      <Handle type="source" position={Position.Right} className="port" isConnectable={false} />
    </div>
  );
});

function Fields({ data }: { data: DatasetNode["data"] }) {
  const fields = data.box.node.fields ?? [];
  const shown = fields.slice(0, MOST_ROWS);
  return (
    <ul className="fields">
      {shown.map((field) => (
        <li key={field.id} className={data.traced?.has(field.id) ? "traced" : ""}>
          <Handle type="target" id={`f${field.id}`} position={Position.Left} className="port" isConnectable={false} />
          <button
            type="button"
            className="nodrag"
            tabIndex={-1}
            aria-pressed={data.field === field.id}
            title={`Follow ${visible(field.name)}`}
            onClick={(event) => {
              event.stopPropagation();
              data.common.deeds.trace(data.field === field.id ? null : field.id);
            }}
          >
            <Name>{field.name}</Name>
            <span className="quiet">
              <Name>{field.type}</Name>
            </span>
          </button>
          <Handle type="source" id={`f${field.id}`} position={Position.Right} className="port" isConnectable={false} />
        </li>
      ))}
      {fields.length === 0 && <li className="quiet">no fields are known</li>}
      {fields.length > MOST_ROWS && <li className="quiet">{counted(fields.length - MOST_ROWS, "more field")}: see the panel</li>}
    </ul>
  );
}

export const Job = memo(function Job({ data }: NodeProps<JobNode>) {
  const { box, common } = data;
  const label = `${visible(box.job.name)}, job, namespace ${visible(box.job.namespace)}, asserts ${counted(box.edges.length, "edge")}`;
  return (
    <div className={`box job${common.selected ? " selected" : ""}`}>
      <Handle type="target" position={Position.Left} className="port" isConnectable={false} />
      <div
        className="head"
        id={`box-${box.id}`}
        role="button"
        tabIndex={common.stop ? 0 : -1}
        aria-label={label}
        title={visible(box.job.name)}
        onFocus={() => common.deeds.focused(box.id)}
        onKeyDown={(event) => common.deeds.key(box.id, event)}
      >
        <span className="kind job" aria-hidden="true" />
        <Name>{box.job.name}</Name>
      </div>
      <Handle type="source" position={Position.Right} className="port" isConnectable={false} />
    </div>
  );
});
