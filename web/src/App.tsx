import { useEffect, useMemo, useState } from "react";
import { Client, type Hit, type Session, type Status } from "./api/client";
import { type Place, placeOf, written } from "./place";
import { GraphView } from "./parts/Graph";
import { Outline } from "./parts/Outline";
import { Panel } from "./parts/Panel";
import { Search } from "./parts/Search";
import { SignIn } from "./parts/SignIn";
import { counted } from "./text";
import { type Explorer, FIRST, useExplorer } from "./useExplorer";

export function App() {
  const client = useMemo(() => new Client(), []);
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  useEffect(() => {
    client.session().then(setSession, () => setSession(null));
  }, [client]);
  if (session === undefined) return null;
  if (session === null) return <SignIn client={client} signedIn={setSession} />;
  return <Explore client={client} session={session} signedOut={() => setSession(null)} />;
}

function Explore({ client, session, signedOut }: { client: Client; session: Session; signedOut: () => void }) {
  const explorer = useExplorer(client);
  const [tab, setTab] = useState<"graph" | "list">("graph");
  const { focus, select } = explorer;

  useEffect(() => {
    const open = () => {
      const place = placeOf(location.hash);
      if (place) focus(place.node, place);
    };
    open();
    addEventListener("hashchange", open);
    return () => removeEventListener("hashchange", open);
  }, [focus]);

  function chosen(hit: Hit) {
    if (hit.node !== null && hit.node !== undefined) go({ node: hit.node, upstream: 1, downstream: 1 });
    else if (hit.kind === "job") select({ kind: "job", namespace: hit.namespace, name: hit.name });
  }

  // A new focus goes through the address, so that it can be shared and gone back to.
  const linked = useMemo(() => ({ ...explorer, focus: (node: number, steps = FIRST) => go({ node, ...steps }) }), [explorer]);
  return (
    <div className={`explore ${tab}${explorer.selection ? " with-panel" : ""}`}>
      <header className="top">
        <h1>
          <img src="icon.svg" alt="" width="24" height="24" /> streamt catalog
        </h1>
        <Search client={client} chosen={chosen} />
        <div className="tools">
          <div role="group" aria-label="View" className="tabs">
            <button type="button" aria-pressed={tab === "graph"} onClick={() => setTab("graph")}>
              Graph
            </button>
            <button type="button" aria-pressed={tab === "list"} onClick={() => setTab("list")}>
              List
            </button>
          </div>
          {explorer.graph && <Steps explorer={linked} />}
          <label>
            <input type="checkbox" checked={explorer.jobs} onChange={explorer.toggleJobs} /> jobs
          </label>
          <label>
            <input type="checkbox" checked={explorer.retired} onChange={(event) => explorer.setRetired(event.target.checked)} /> retired
          </label>
          <button type="button" onClick={() => void client.signOut().finally(signedOut)} title={`Signed in as ${session.user}`}>
            Sign out
          </button>
        </div>
      </header>
      <main>
        {explorer.graph ? (
          <>
            <GraphView client={client} explorer={linked} />
            <Outline explorer={linked} />
          </>
        ) : (
          <Welcome client={client} />
        )}
      </main>
      <Panel client={client} explorer={linked} session={session} />
      <footer>
        {explorer.problem && (
          <p className="problem" role="alert">
            {explorer.problem}
          </p>
        )}
        <p role="status" aria-live="polite">
          {explorer.busy ? "loading…" : explorer.news}
        </p>
      </footer>
    </div>
  );
}

function go(place: Place): void {
  location.hash = written(place);
}

/** How far the graph reaches at once, each way. */
function Steps({ explorer }: { explorer: Explorer }) {
  const place = placeOf(location.hash);
  if (!place) return null;
  return (
    <>
      {(["upstream", "downstream"] as const).map((side) => (
        <label key={side}>
          {side}{" "}
          <select
            aria-label={`Steps ${side}`}
            value={place[side]}
            onChange={(event) => explorer.focus(place.node, { ...place, [side]: Number(event.target.value) })}
          >
            {[...new Set([0, 1, 2, 3, 5, 10, 20, place[side]])]
              .sort((one, two) => one - two)
              .map((count) => (
                <option key={count}>{count}</option>
              ))}
          </select>
        </label>
      ))}
    </>
  );
}

/** What there is, before anything is chosen; and what to do next where there is nothing. */
function Welcome({ client }: { client: Client }) {
  const [status, setStatus] = useState<Status | null>(null);
  useEffect(() => {
    client.status().then(setStatus, () => undefined);
  }, [client]);
  if (!status) return <section className="welcome" />;
  return (
    <section className="welcome">
      <p className="figures">
        {counted(status.containers, "container")}, {counted(status.edges, "edge")}, {counted(status.jobs, "job")}, {counted(status.events, "event")}
      </p>
      {status.replaying > 0 && <p>{counted(status.replaying, "job")} being applied again.</p>}
      {status.hint ? (
        <div className="empty">
          <h2>Nothing to show yet</h2>
          <p>{status.hint}</p>
          <ol>
            <li>
              Register what you have: <code>streamt catalog sync project DIR</code>, <code>postgres DSN</code>, <code>dbt MANIFEST</code> or{" "}
              <code>files PATH</code>
            </li>
            <li>
              or take what the received events name: <code>streamt catalog sync events</code>
            </li>
            <li>
              Send events: <code>streamt catalog send FILE</code>, or point any OpenLineage client at this address
            </li>
          </ol>
        </div>
      ) : (
        <p>Search for a table, a topic, a field or a job to see where its data comes from and goes to.</p>
      )}
    </section>
  );
}
