import { visible } from "../text";

/** A name that somebody else chose: isolated from the text around it, nothing invisible in it. */
export function Name({ children }: { children: string }) {
  return <bdi className="name">{visible(children)}</bdi>;
}
