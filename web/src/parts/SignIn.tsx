import { type FormEvent, useState } from "react";
import { type Client, ProblemError, type Session } from "../api/client";

export function SignIn({ client, signedIn }: { client: Client; signedIn: (session: Session) => void }) {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    try {
      signedIn(await client.signIn(token));
    } catch (error) {
      setProblem(error instanceof ProblemError ? error.message : "the server does not answer");
    }
  }

  return (
    <main className="signin">
      <form onSubmit={(event) => void submit(event)}>
        <h1>streamt catalog</h1>
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
          aria-describedby="token-help"
          aria-invalid={problem !== null}
        />
        <button type="submit">Sign in</button>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <p id="token-help" className="quiet">
          <code>streamt catalog serve</code> names the file that holds the first token. An admin makes more with{" "}
          <code>streamt catalog token create</code>.
        </p>
      </form>
    </main>
  );
}
