/** What is known of the selected dataset, edge or job. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Client, Job, Run, Session } from "../api/client";
import { when } from "../text";
import type { Explorer, Selection } from "../useExplorer";
import { ContainerPage } from "./ContainerPage";
import { EvidenceRecord, sideName, useEdge } from "./Evidence";
import { Name } from "./Name";

export function Panel({ client, explorer, session }: { client: Client; explorer: Explorer; session: Session }) {
  const { selection } = explorer;
  const title = useRef<HTMLHeadingElement>(null);
  const back = useRef<Element | null>(null);
  const key = selection && JSON.stringify(selection);
  useEffect(() => {
    if (!key) return;
    const active = document.activeElement;
    if (!active?.closest(".panel")) back.current = active;
    title.current?.focus({ preventScroll: true });
  }, [key]);
  if (!selection) return null;

  function close() {
    explorer.select(null);
    if (back.current instanceof HTMLElement && back.current.isConnected) back.current.focus();
    else document.querySelector<HTMLElement>('.graph [tabindex="0"]')?.focus();
  }

  return (
    <aside className="panel" aria-label="Details" onKeyDown={(event) => event.key === "Escape" && close()}>
      <header>
        <h2 tabIndex={-1} ref={title}>
          {titleOf(explorer, selection)}
        </h2>
        <button type="button" className="close" aria-label="Close the details" onClick={close}>
          ×
        </button>
      </header>
      <Content key={key} client={client} explorer={explorer} session={session} selection={selection} />
    </aside>
  );
}

function titleOf({ graph }: Explorer, selection: Selection): ReactNode {
  if (selection.kind === "edges") return selection.title;
  if (selection.kind === "job") return <Name>{selection.name}</Name>;
  return <Name>{graph?.nodes.get(selection.node)?.name ?? "dataset"}</Name>;
}

function Content({ client, explorer, session, selection }: { client: Client; explorer: Explorer; session: Session; selection: Selection }) {
  if (selection.kind === "job") return <JobPage client={client} explorer={explorer} selection={selection} />;
  if (selection.kind === "edges")
    return (
      <>
        {selection.edges.map((id) => (
          <EdgePage key={id} client={client} explorer={explorer} id={id} open={selection.edges.length <= 3} />
        ))}
      </>
    );
  const node = explorer.graph?.nodes.get(selection.node);
  return (
    <>
      {selection.node !== explorer.graph?.focus && (
        <button type="button" onClick={() => explorer.focus(selection.node)}>
          Start the graph here
        </button>
      )}
      {node?.kind === "container" && node.visible ? (
        <ContainerPage client={client} session={session} id={selection.node} />
      ) : (
        <OutsidePage namespace={node?.namespace ?? null} hidden={node?.kind === "container"} />
      )}
    </>
  );
}

function OutsidePage({ namespace, hidden }: { namespace: string | null; hidden: boolean }) {
  if (hidden) return <p>You may see that this dataset is there, and no more: Viewer on its datastore shows the rest.</p>;
  return (
    <>
      <dl>
        <dt>Namespace</dt>
        <dd>
          <Name>{namespace ?? ""}</Name>
        </dd>
      </dl>
      <p>
        Events name this dataset, and no registered container matches it. Register it with <code>streamt catalog sync</code>,
        and the jobs that named it are applied again.
      </p>
    </>
  );
}

function EdgePage({ client, explorer, id, open }: { client: Client; explorer: Explorer; id: number; open: boolean }) {
  const [wanted, setWanted] = useState(open);
  const edge = useEdge(client, wanted ? id : null);
  const known = explorer.graph?.edges.get(id);
  const name = (node: number | undefined) => explorer.graph?.nodes.get(node ?? 0)?.name ?? "";
  return (
    <details className="edge" open={open} onToggle={(event) => setWanted(event.currentTarget.open || wanted)}>
      <summary>
        {typeof edge === "object" && edge ? (
          <>
            <bdi>{sideName(edge, "source")}</bdi> → <bdi>{sideName(edge, "target")}</bdi>
          </>
        ) : (
          <>
            <Name>{name(known?.source)}</Name> → <Name>{name(known?.target)}</Name>
          </>
        )}
      </summary>
      {edge === null && <p className="quiet">…</p>}
      {typeof edge === "string" && <p className="problem">{edge}</p>}
      {edge !== null && typeof edge === "object" && (
        <>
          {!edge.active && (
            <p className="retired">
              Retired {when(edge.retired_at)}
              {edge.retired_by_event !== null && `, by event ${edge.retired_by_event}`}
              {edge.retired_by_user !== null && (
                <>
                  , by <Name>{edge.retired_by_user}</Name>
                </>
              )}
            </p>
          )}
          {edge.description && (
            <p>
              <Name>{edge.description}</Name>
            </p>
          )}
          <h3>{edge.origin === "manual" ? "Drawn by hand" : "Who asserts it"}</h3>
          <ul className="records">
            {edge.evidence.map((one, index) => (
              <EvidenceRecord key={index} one={one} job={(namespace, job) => explorer.select({ kind: "job", namespace, name: job })} />
            ))}
          </ul>
          {!edge.details && edge.origin !== "manual" && (
            <p className="quiet">Jobs, runs and submitters are shown with Viewer on both sides.</p>
          )}
          <details>
            <summary>History</summary>
            <ol className="history">
              {edge.history.map((one, index) => (
                <li key={index}>
                  {when(one.at)}: {one.what}
                  {one.producer && (
                    <>
                      , <Name>{one.producer}</Name>
                    </>
                  )}
                  {one.user && (
                    <>
                      , <Name>{one.user}</Name>
                    </>
                  )}
                </li>
              ))}
            </ol>
          </details>
          {edge.editable && edge.active && <RetireEdge client={client} explorer={explorer} id={id} />}
        </>
      )}
    </details>
  );
}

function RetireEdge({ client, explorer, id }: { client: Client; explorer: Explorer; id: number }) {
  const [sure, setSure] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  async function retire() {
    try {
      await client.retireEdge(id);
      explorer.select(null);
      explorer.again();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }
  return (
    <p>
      {sure ? (
        <>
          Retire this edge? A later event brings it back.{" "}
          <button type="button" onClick={() => void retire()}>
            Retire
          </button>{" "}
          <button type="button" onClick={() => setSure(false)}>
            Keep
          </button>
        </>
      ) : (
        <button type="button" onClick={() => setSure(true)}>
          Retire this edge…
        </button>
      )}
      {problem && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </p>
  );
}

function JobPage({ client, explorer, selection }: { client: Client; explorer: Explorer; selection: { namespace: string; name: string } }) {
  const [job, setJob] = useState<Job | null>(null);
  const [runs, setRuns] = useState<Run[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const { namespace, name } = selection;
  useEffect(() => {
    client.job(namespace, name).then(setJob, (error: Error) => setProblem(error.message));
    client.runs(namespace, name).then((page) => setRuns(page.items), () => undefined);
  }, [client, namespace, name]);
  if (problem) return <p className="problem">{problem}</p>;
  if (!job) return <p className="quiet">…</p>;
  return (
    <>
      <dl>
        <dt>Namespace</dt>
        <dd>
          <Name>{job.namespace}</Name>
        </dd>
        <dt>Producer</dt>
        <dd>
          <Name>{job.producer}</Name>
        </dd>
        <dt>Latest event</dt>
        <dd>{when(job.latest_at)}</dd>
      </dl>
      <h3>Asserts</h3>
      <ul>
        {job.edges.map((edge) => (
          <li key={edge.id}>
            <button type="button" className="link" onClick={() => explorer.select({ kind: "edges", title: "Edge", edges: [edge.id] })}>
              <Name>{edge.source.name}</Name> → <Name>{edge.target.name}</Name>
            </button>
          </li>
        ))}
      </ul>
      {job.edges.length === 0 && <p className="quiet">nothing that you may see</p>}
      <h3>Runs</h3>
      {runs.length === 0 && <p className="quiet">no run is known</p>}
      <ol className="history">
        {runs.map((run) => (
          <li key={run.id}>
            <span className={`state ${run.state}`}>{run.state}</span> {when(run.started_at)}
            {run.ended_at && ` to ${when(run.ended_at)}`}
          </li>
        ))}
      </ol>
    </>
  );
}
