/** Where boxes stand: computed in a worker, so that the page answers meanwhile. */
import { BOX, type View, heightOf } from "./view";

export interface Size {
  id: string;
  width: number;
  height: number;
}

export interface Request {
  number: number;
  sizes: Size[];
  links: [string, string][];
}

export type Positions = Record<string, { x: number; y: number }>;

export interface Answer {
  number: number;
  positions: Positions;
}

/** Asks the worker for layouts; only the newest answer counts. */
export class Layouter {
  private readonly worker = new Worker(new URL("layout.js", document.baseURI), { type: "module" });
  private newest = 0;
  private waiting: ((positions: Positions) => void) | null = null;

  constructor() {
    this.worker.onmessage = (message: MessageEvent<Answer>) => {
      if (message.data.number === this.newest) this.waiting?.(message.data.positions);
    };
  }

  ask(view: View, answered: (positions: Positions) => void): void {
    this.waiting = answered;
    this.newest += 1;
    this.worker.postMessage(requestOf(this.newest, view));
  }

  close(): void {
    this.worker.terminate();
  }
}

function requestOf(number: number, view: View): Request {
  const sizes = view.boxes.map((box) => ({ id: box.id, width: BOX.width, height: heightOf(box) }));
  const links = view.lines.filter((line) => line.sourceField === null).map((line): [string, string] => [line.source, line.target]);
  return { number, sizes, links };
}
