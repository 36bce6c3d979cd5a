/** What the address says is shown: `#node=7&upstream=2&downstream=1`. */

export interface Place {
  node: number;
  upstream: number;
  downstream: number;
}

const MOST_STEPS = 20;

/** Return the place that an address's hash names; null if it names none. */
export function placeOf(hash: string): Place | null {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  const node = Number(asked.get("node"));
  if (!Number.isSafeInteger(node) || node < 1) return null;
  return { node, upstream: stepsOf(asked.get("upstream")), downstream: stepsOf(asked.get("downstream")) };
}

function stepsOf(text: string | null): number {
  const steps = text === null ? 1 : Number(text);
  return Number.isInteger(steps) ? Math.min(Math.max(steps, 0), MOST_STEPS) : 1;
}

/** Return the hash of a place, without what it has by default. */
export function written({ node, upstream, downstream }: Place): string {
  const steps = Object.entries({ upstream, downstream }).filter(([, count]) => count !== 1);
  return new URLSearchParams([["node", String(node)], ...steps.map(([side, count]) => [side, String(count)])]).toString();
}
