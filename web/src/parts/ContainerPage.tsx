/** A container in full: descriptions with their sources, owners, tags, fields, and what changed when. */
import { type FormEvent, useEffect, useState } from "react";
import type { Assertion, Client, Container, ContainerEdit, Session, Shown, TimelineItem } from "../api/client";
import { when } from "../text";
import { Name } from "./Name";

export function ContainerPage({ client, session, id }: { client: Client; session: Session; id: number }) {
  const [container, setContainer] = useState<Container | null>(null);
  const [assertions, setAssertions] = useState<Assertion[]>([]);
  const [changes, setChanges] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    client.container(id).then(setContainer, (error: Error) => setProblem(error.message));
    client.assertions(id).then((page) => setAssertions(page.items), () => undefined);
  }, [client, id, changes]);
  if (problem) return <p className="problem">{problem}</p>;
  if (!container) return <p className="quiet">…</p>;

  const mayEdit = container.editable && session.rights.includes("edit");
  async function edit(wanted: ContainerEdit): Promise<void> {
    setContainer(await client.edit(id, wanted));
    setChanges((count) => count + 1);
  }
  const of = (field: number | null) => assertions.filter((one) => one.attribute === "description" && (one.field ?? null) === field);

  return (
    <>
      <dl>
        <dt>Kind</dt>
        <dd>
          {container.type}
          {container.removed && ", no longer in its datastore"}
        </dd>
        <dt>Datastore</dt>
        <dd>
          <Name>{container.datastore?.name ?? ""}</Name> {container.system && <span className="quiet">{container.system}</span>}
        </dd>
        {container.owners.length > 0 && (
          <>
            <dt>Owners</dt>
            <dd>
              {container.owners.map((owner, index) => (
                <span key={index}>
                  {index > 0 && ", "}
                  <Name>{owner.name}</Name>
                  {owner.type && <span className="quiet"> {owner.type}</span>}
                </span>
              ))}
            </dd>
          </>
        )}
      </dl>
      <Tags container={container} mayEdit={mayEdit} edit={edit} />
      <h3>
        Description <SourceMark shown={container.description} all={of(null)} />
      </h3>
      <Description shown={container.description} label="Description" mayEdit={mayEdit} save={(description) => edit({ description })} />
      <h3>Fields</h3>
      {container.fields.length === 0 && <p className="quiet">no fields are known</p>}
      <ul className="field-list">
        {container.fields.map((field) => (
          <li key={field.id}>
            <Name>{field.name}</Name>{" "}
            <span className="quiet">
              <Name>{field.type}</Name>
            </span>{" "}
            <SourceMark shown={field.description} all={of(field.id)} />
            <Description
              shown={field.description}
              label={`Description of ${field.name}`}
              mayEdit={mayEdit}
              save={(description) => edit({ fields: [{ id: field.id, description }] })}
            />
          </li>
        ))}
      </ul>
      <h3>Timeline</h3>
      <Timeline key={changes} client={client} id={id} />
    </>
  );
}

const SOURCES: Record<string, string> = { user: "a user", openlineage: "OpenLineage", sync: "sync" };

/** Says whose description is shown, and on demand what every source said. */
function SourceMark({ shown, all }: { shown: Shown; all: Assertion[] }) {
  const told = all.filter((one) => one.source !== "user");
  if (told.length === 0) return null;
  const label = shown.source ? `from ${SOURCES[shown.source] ?? shown.source}` : "history";
  return (
    <details className="sources">
      <summary className={shown.source ? "" : "neutral"}>{label}</summary>
      <ul>
        {told.map((one, index) => (
          <li key={index}>
            <strong>{SOURCES[one.source] ?? one.source}</strong> {one.shown && <em>shown</em>} {one.withdrawn && <em>withdrawn</em>}
            <span className="quiet"> changed {when(one.changed_at)}</span>
            <br />
            <Name>{one.value ?? ""}</Name>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Description({ shown, label, mayEdit, save }: { shown: Shown; label: string; mayEdit: boolean; save: (text: string) => Promise<void> }) {
  const [draft, setDraft] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  async function submit(event: FormEvent) {
    event.preventDefault();
    try {
      await save(draft ?? "");
      setDraft(null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }
  if (draft === null)
    return (
      <p className="description">
        {shown.value ? <Name>{shown.value}</Name> : <span className="quiet">none</span>}{" "}
        {mayEdit && (
          <button type="button" className="link" aria-label={`Edit: ${label}`} onClick={() => setDraft(shown.source === "user" ? (shown.value ?? "") : "")}>
            edit
          </button>
        )}
      </p>
    );
  return (
    <form onSubmit={(event) => void submit(event)}>
      <textarea aria-label={label} autoFocus rows={3} value={draft} onChange={(event) => setDraft(event.target.value)} />
      <p>
        <button type="submit">Save</button>{" "}
        <button type="button" onClick={() => setDraft(null)}>
          Cancel
        </button>{" "}
        <span className="quiet">empty hands it back to the sources</span>
      </p>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

function Tags({ container, mayEdit, edit }: { container: Container; mayEdit: boolean; edit: (edit: ContainerEdit) => Promise<void> }) {
  const [draft, setDraft] = useState("");
  function add(event: FormEvent) {
    event.preventDefault();
    const [key, ...value] = draft.split("=");
    if (!key?.trim()) return;
    void edit({ add_tags: [{ key: key.trim(), value: value.join("=").trim(), field: null }] }).then(() => setDraft(""));
  }
  if (container.tags.length === 0 && !mayEdit) return null;
  return (
    <>
      <ul className="tags" aria-label="Tags">
        {container.tags.map((tag) => (
          <li key={`${tag.key}=${tag.value}`} title={`added by ${SOURCES[tag.source] ?? tag.source}`}>
            <Name>{tag.value ? `${tag.key}=${tag.value}` : tag.key}</Name>
            {mayEdit && (
              <button
                type="button"
                aria-label={`Remove the tag ${tag.key}`}
                onClick={() => void edit({ remove_tags: [{ key: tag.key, value: tag.value, field: null }] })}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayEdit && (
        <form className="add-tag" onSubmit={add}>
          <input aria-label="Add a tag, as key or key=value" placeholder="key=value" value={draft} onChange={(event) => setDraft(event.target.value)} />
          <button type="submit">Add tag</button>
        </form>
      )}
    </>
  );
}

function Timeline({ client, id }: { client: Client; id: number }) {
  const [items, setItems] = useState<TimelineItem[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const load = (cursor?: string) =>
    client.timeline(id, cursor).then(
      (page) => {
        setItems((before) => (cursor ? [...before, ...page.items] : page.items));
        setNext(page.next);
      },
      () => undefined,
    );
  useEffect(() => void load(), [client, id]);
  return (
    <>
      {items.length === 0 && <p className="quiet">nothing has changed yet</p>}
      <ol className="history">
        {items.map((item) => (
          <li key={item.id}>
            {when(item.at)}: <ChangeText change={item.change} />
            <span className="quiet">
              {" "}
              by <Name>{item.user ?? "the system"}</Name>
              {item.producer && (
                <>
                  {" "}
                  with <Name>{item.producer}</Name>
                  {item.event !== null && ` (event ${item.event})`}
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
      {next && (
        <button type="button" onClick={() => void load(next)}>
          Earlier
        </button>
      )}
    </>
  );
}

/** One change in words; what this page does not know is shown as it came. */
function ChangeText({ change }: { change: Record<string, unknown> }) {
  const { attribute, field, value, source, ...rest } = change;
  const text = (one: unknown) => (typeof one === "string" ? one : JSON.stringify(one));
  const told = Object.entries(rest).filter(([, one]) => one !== null && one !== 0 && one !== "");
  const parts = told.map(([key, one]) => `${key} ${text(one)}`);
  if (attribute !== undefined) {
    const what = field ? `${text(attribute)} of ${text(field)}` : text(attribute);
    parts.unshift(`${what}: ${value === null || value === "" || value === undefined ? "withdrawn" : text(value)}`);
  }
  if (typeof source === "string") parts.push(`from ${SOURCES[source] ?? source}`);
  return <Name>{parts.join(", ")}</Name>;
}
