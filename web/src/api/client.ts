/** The catalog's API, as this page uses it. Types are generated from the OpenAPI document. */
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Graph = Schemas["Graph"];
export type GraphNode = Schemas["GraphNode"];
export type GraphEdge = Schemas["GraphEdge"];
export type JobRef = Schemas["JobRef"];
export type EdgeAnswer = Schemas["EdgeAnswer"];
export type Evidence = Schemas["Evidence"];
export type Container = Schemas["ContainerAnswer"];
export type Assertion = Schemas["Assertion"];
export type TimelineItem = Schemas["TimelineItem"];
export type Job = Schemas["JobAnswer"];
export type Run = Schemas["RunAnswer"];
export type Hit = Schemas["Hit"];
export type Session = Schemas["SessionAnswer"];
export type Status = Schemas["Status"];
export type Shown = Schemas["Shown"];
export type ContainerEdit = Partial<Schemas["ContainerEdit"]>;

/** What the server answered instead of what was asked for (RFC 9457). */
export class ProblemError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface Around {
  node: number;
  upstream: number;
  downstream: number;
  fields: boolean;
  retired: boolean;
}

export const MOST_NODES = 500;

/** Talks to the server that served the page; a session's cookie says who it is. */
export class Client {
  private csrf: string | null = null;

  async session(): Promise<Session | null> {
    try {
      return this.remember(await this.send<Session>("GET", "session"));
    } catch (error) {
      if (error instanceof ProblemError && error.status === 401) return null;
      throw error;
    }
  }

  async signIn(token: string): Promise<Session> {
    return this.remember(await this.send<Session>("POST", "session", { token }));
  }

  async signOut(): Promise<void> {
    await this.send("DELETE", "session");
    this.csrf = null;
  }

  status = () => this.send<Status>("GET", "status");
  search = (text: string, signal: AbortSignal) =>
    this.send<{ items: Hit[]; next: string | null }>("GET", `search?${query({ q: text, limit: 20 })}`, undefined, signal);
  graph = (around: Around) => this.send<Graph>("GET", `graph?${query({ ...around, limit: MOST_NODES })}`);
  edge = (id: number) => this.send<EdgeAnswer>("GET", `edges/${id}`);
  retireEdge = (id: number) => this.send("DELETE", `edges/${id}`);
  container = (id: number) => this.send<Container>("GET", `containers/${id}`);
  edit = (id: number, edit: ContainerEdit) => this.send<Container>("PATCH", `containers/${id}`, edit);
  assertions = (id: number) => this.send<{ items: Assertion[] }>("GET", `containers/${id}/assertions`);
  timeline = (id: number, cursor?: string) =>
    this.send<{ items: TimelineItem[]; next: string | null }>("GET", `containers/${id}/timeline?${query({ limit: 20, cursor })}`);
  job = (namespace: string, name: string) => this.send<Job>("GET", jobPath(namespace, name));
  runs = (namespace: string, name: string) =>
    this.send<{ items: Run[]; next: string | null }>("GET", `${jobPath(namespace, name)}/runs?limit=20`);

  private remember(session: Session): Session {
    this.csrf = session.csrf ?? null;
    return session;
  }

  private async send<Answer = void>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
    const headers: Record<string, string> = {};
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.csrf && method !== "GET") headers["X-CSRF-Token"] = this.csrf;
    const asked: RequestInit = { method, headers, credentials: "same-origin" };
    if (body !== undefined) asked.body = JSON.stringify(body);
    if (signal) asked.signal = signal;
    const answer = await fetch(`/api/v1/${path}`, asked);
    if (!answer.ok) throw await problemOf(answer);
    return (answer.status === 204 ? undefined : await answer.json()) as Answer;
  }
}

async function problemOf(answer: Response): Promise<ProblemError> {
  const problem = (await answer.json().catch(() => ({}))) as { title?: string; detail?: string };
  return new ProblemError(answer.status, problem.detail ?? problem.title ?? `the server answered ${answer.status}`);
}

/** Names hold slashes, so each is one part of the path. */
export function jobPath(namespace: string, name: string): string {
  return `jobs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

function query(values: Record<string, string | number | boolean | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
}
