/** Who asserts an edge: on the graph's badges, and in the panel. */
import { useEffect, useState } from "react";
import type { Client, EdgeAnswer, Evidence } from "../api/client";
import { visible, when } from "../text";
import { Name } from "./Name";

/** Return an edge, fetched when it is first asked for. */
export function useEdge(client: Client, id: number | null): EdgeAnswer | string | null {
  const [answer, setAnswer] = useState<EdgeAnswer | string | null>(null);
  useEffect(() => {
    setAnswer(null);
    if (id === null) return;
    let wanted = true;
    client.edge(id).then(
      (edge) => wanted && setAnswer(edge),
      (error: Error) => wanted && setAnswer(error.message),
    );
    return () => {
      wanted = false;
    };
  }, [client, id]);
  return answer;
}

export function sideName(edge: EdgeAnswer, side: "source" | "target"): string {
  const field = side === "source" ? edge.source_field : edge.target_field;
  return visible(field ? `${edge[side].name}.${field}` : edge[side].name);
}

/** The short form, for a badge. */
export function EvidenceSummary({ edge }: { edge: EdgeAnswer }) {
  return (
    <div className="evidence-summary">
      <strong>
        <bdi>{sideName(edge, "source")}</bdi> → <bdi>{sideName(edge, "target")}</bdi>
      </strong>
      {edge.origin === "manual" && <p>Drawn by hand, {when(edge.created_at)}</p>}
      {!edge.active && <p className="retired">Retired {when(edge.retired_at)}</p>}
      <ul>
        {edge.evidence.slice(0, 5).map((one, index) => (
          <li key={index}>
            {one.job ? <Name>{one.job.name}</Name> : <Name>{one.producer}</Name>}
            <span className="quiet">
              {" "}
              {one.kind === "run" ? `run${one.run ? `, ${one.run.state}` : ""}` : "job definition"}, {when(one.time)}
              {one.submitter && (
                <>
                  , through <Name>{one.submitter}</Name>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {edge.evidence.length > 5 && <p className="quiet">and {edge.evidence.length - 5} more</p>}
    </div>
  );
}

/** The long form: everything that this caller may see. */
export function EvidenceRecord({ one, job }: { one: Evidence; job: (namespace: string, name: string) => void }) {
  return (
    <li className="evidence">
      <dl>
        {one.job && (
          <>
            <dt>Job</dt>
            <dd>
              <button type="button" className="link" onClick={() => job(one.job!.namespace, one.job!.name)}>
                <Name>{`${one.job.namespace}/${one.job.name}`}</Name>
              </button>
            </dd>
          </>
        )}
        <dt>Asserted</dt>
        <dd>
          {when(one.time)}, by a {one.kind === "run" ? "run" : "job definition"}
        </dd>
        <dt>Producer</dt>
        <dd>
          <Name>{one.producer}</Name>
        </dd>
        {one.submitter && (
          <>
            <dt>Submitted by</dt>
            <dd>
              <Name>{one.submitter}</Name>
            </dd>
          </>
        )}
        {one.run && (
          <>
            <dt>Run</dt>
            <dd>
              <Name>{one.run.id}</Name>, {one.run.state}
            </dd>
          </>
        )}
      </dl>
      {one.transformations && one.transformations.length > 0 && (
        <ul className="transformations">
          {one.transformations.map((how, index) => (
            <li key={index}>
              {[how.type, how.subtype].filter(Boolean).join("/")}
              {how.masking && ", masked"}
              {how.description && (
                <>
                  : <Name>{how.description}</Name>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {one.fields && one.fields.length > 0 && (
        <details>
          <summary>Fields that this edge carries ({one.fields.length})</summary>
          <ul>
            {one.fields.map((carried, index) => (
              <li key={index}>
                <Name>{carried.source.field}</Name> → <Name>{carried.target_field ?? "every field"}</Name>
              </li>
            ))}
          </ul>
        </details>
      )}
      {one.code && (
        <details>
          <summary>{one.code.language}</summary>
          <pre>{one.code.text}</pre>
        </details>
      )}
    </li>
  );
}
