import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Client, Hit } from "../api/client";
import { Name } from "./Name";

const KINDS = { container: "dataset", outside: "outside the catalog", field: "field", job: "job" } as const;

/** Search as you type: a combobox, as the ARIA practices describe it. */
export function Search({ client, chosen }: { client: Client; chosen: (hit: Hit) => void }) {
  const [text, setText] = useState("");
  const [hits, setHits] = useState<Hit[] | null>(null);
  const [at, setAt] = useState(0);
  const box = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const wanted = text.trim();
    if (!wanted) {
      setHits(null);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      client.search(wanted, stop.signal).then(
        (page) => {
          setHits(page.items);
          setAt(0);
        },
        () => undefined,
      );
    }, 150);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, text]);

  function choose(hit: Hit | undefined) {
    if (!hit) return;
    setText("");
    setHits(null);
    chosen(hit);
  }

  function key(event: KeyboardEvent) {
    if (event.key === "Escape") {
      setText("");
      return;
    }
    if (!hits?.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setAt((at + (event.key === "ArrowDown" ? 1 : hits.length - 1)) % hits.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(hits[at]);
    }
  }

  return (
    <div className="search" role="search">
      <input
        ref={box}
        type="search"
        role="combobox"
        aria-label="Search names, namespaces, fields and jobs"
        aria-expanded={hits !== null}
        aria-controls="hits"
        aria-activedescendant={hits?.length ? `hit-${at}` : undefined}
        aria-autocomplete="list"
        placeholder="Search tables, topics, fields, jobs"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={key}
        onBlur={() => setHits(null)}
      />
      {hits && (
        <ul id="hits" role="listbox" aria-label="Found">
          {hits.map((hit, index) => (
            <li
              key={`${hit.kind}-${hit.id}`}
              id={`hit-${index}`}
              role="option"
              aria-selected={index === at}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(hit)}
            >
              <Name>{hit.name}</Name> <span className="quiet">{KINDS[hit.kind]}</span>
              <span className="quiet where">
                <Name>{hit.namespace}</Name>
              </span>
            </li>
          ))}
          {hits.length === 0 && (
            <li className="quiet" role="option" aria-selected="false" aria-disabled="true">
              nothing found
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
