/** What is shown, and what can be done about it: one reducer, and the requests that feed it. */
import { useCallback, useMemo, useReducer, useRef } from "react";
import type { Around, Client, Graph } from "./api/client";
import { MOST_NODES } from "./api/client";
import { type Explored, type Side, explored, merged } from "./graph/store";
import { counted, visible } from "./text";

export type Selection =
  | { kind: "node"; node: number }
  | { kind: "edges"; title: string; edges: number[] }
  | { kind: "job"; namespace: string; name: string };

export interface State {
  graph: Explored | null;
  busy: boolean;
  problem: string | null;
  /** Said by screen readers, and shown below the graph. */
  news: string;
  jobs: boolean;
  retired: boolean;
  fields: boolean;
  open: ReadonlySet<number>;
  field: number | null;
  selection: Selection | null;
}

type Action =
  | { do: "ask" }
  | { do: "fail"; problem: string }
  | { do: "show"; graph: Explored; news: string }
  | { do: "toggle"; what: "jobs" }
  | { do: "view"; retired?: boolean; fields?: boolean }
  | { do: "fold"; node: number }
  | { do: "trace"; field: number | null }
  | { do: "select"; selection: Selection | null };

const START: State = {
  graph: null,
  busy: false,
  problem: null,
  news: "",
  jobs: true,
  retired: false,
  fields: false,
  open: new Set(),
  field: null,
  selection: null,
};

export function reduce(state: State, action: Action): State {
  switch (action.do) {
    case "ask":
      return { ...state, busy: true, problem: null };
    case "fail":
      return { ...state, busy: false, problem: action.problem };
    case "show":
      return { ...state, busy: false, graph: action.graph, news: action.news };
    case "toggle":
      return { ...state, jobs: !state.jobs };
    case "view":
      return { ...state, retired: action.retired ?? state.retired, fields: action.fields ?? state.fields };
    case "fold": {
      const open = new Set(state.open);
      if (!open.delete(action.node)) open.add(action.node);
      return { ...state, open };
    }
    case "trace":
      return { ...state, field: action.field };
    case "select":
      return { ...state, selection: action.selection };
  }
}

/** How many steps the first view goes each way; everything else is asked for. */
export const FIRST: Record<Side, number> = { upstream: 1, downstream: 1 };

export interface Explorer extends State {
  focus: (node: number, steps?: Record<Side, number>) => void;
  more: (node: number, side: Side) => void;
  again: () => void;
  setRetired: (retired: boolean) => void;
  toggleJobs: () => void;
  fold: (node: number) => void;
  trace: (field: number | null) => void;
  select: (selection: Selection | null) => void;
}

export function useExplorer(client: Client): Explorer {
  const [state, dispatch] = useReducer(reduce, START);
  const latest = useRef(state);
  latest.current = state;
  const turn = useRef(0);

  const fetchInto = useCallback(
    async (wanted: Around[], before: Explored | null) => {
      const mine = (turn.current += 1);
      dispatch({ do: "ask" });
      try {
        let graph = before;
        for (const around of wanted) graph = add(graph, around, await client.graph(around));
        if (graph && mine === turn.current) dispatch({ do: "show", graph, news: newsOf(before, graph) });
      } catch (error) {
        if (mine === turn.current) dispatch({ do: "fail", problem: error instanceof Error ? error.message : String(error) });
      }
    },
    [client],
  );

  const actions = useMemo(() => {
    const now = () => latest.current;
    const reload = (changes: { retired?: boolean; fields?: boolean }) => {
      dispatch({ do: "view", ...changes });
      const { graph, retired, fields } = { ...now(), ...changes };
      if (graph) void fetchInto(graph.asked.map((around) => ({ ...around, retired, fields })), null);
    };
    return {
      focus: (node: number, steps = FIRST) => {
        const { retired, fields } = now();
        dispatch({ do: "select", selection: null });
        dispatch({ do: "trace", field: null });
        void fetchInto([{ node, ...steps, retired, fields }], null);
      },
      more: (node: number, side: Side) => {
        const { graph, retired, fields } = now();
        if (!graph) return;
        if (graph.nodes.size >= MOST_NODES) {
          dispatch({ do: "fail", problem: `${MOST_NODES} nodes are shown, which is the most; open a node of the edge to go on from there` });
          return;
        }
        void fetchInto([{ node, upstream: 0, downstream: 0, [side]: 1, retired, fields }], graph);
      },
      again: () => reload({}),
      setRetired: (retired: boolean) => reload({ retired }),
      toggleJobs: () => dispatch({ do: "toggle", what: "jobs" }),
      fold: (node: number) => {
        dispatch({ do: "fold", node });
        if (!now().fields) reload({ fields: true });
      },
      trace: (field: number | null) => dispatch({ do: "trace", field }),
      select: (selection: Selection | null) => dispatch({ do: "select", selection }),
    };
  }, [fetchInto]);

  return { ...state, ...actions };
}

function add(graph: Explored | null, around: Around, answer: Graph): Explored {
  return graph ? merged(graph, around, answer) : explored(around, answer);
}

function newsOf(before: Explored | null, after: Explored): string {
  const focus = after.nodes.get(after.focus);
  const added = after.nodes.size - (before?.nodes.size ?? 0);
  const rest = after.truncated ? "; there is more than can be shown" : "";
  return before
    ? `${counted(added, "node")} added, ${after.nodes.size} in all${rest}`
    : `${visible(focus?.name ?? "")}: ${counted(after.nodes.size, "node")}${rest}`;
}
