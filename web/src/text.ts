/** How names, times and counts are written. */

// Controls and marks that change the direction of text or take no room: shown as what they are, never obeyed.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Return `text` with every invisible character written as an escape. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Return `1 node` or `3 nodes`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** Return a time as people of this place write it. */
export function when(iso: string | null | undefined): string {
  return iso ? new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }) : "never";
}

/** Return the last part of a long name, such as a job's. */
export function short(name: string, length = 28): string {
  const shown = visible(name);
  return shown.length <= length ? shown : `…${shown.slice(1 - length)}`;
}
