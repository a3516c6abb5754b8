import type { Requests } from '../notebook/requests.ts';
import { inTurns } from '../words.ts';

/** What the user has said, as it is handed back. */
export interface UserWords {
  readonly requests: Requests;
  /** What the answer holds already. */
  readonly before: string;
  /** Where all prompts stand whole. */
  readonly file: string;
}

/** UTF-16 units that constraints may take up, and all prompts in short. */
const CONSTRAINTS_ROOM = 4_000;
const PROMPTS_ROOM = 2_000;

const CONSTRAINTS_TITLE = 'What the user has asked for that still holds, word for word, the newest first:';

/** The sentences of the user that hold for more than one prompt, as far as they fit into `room` UTF-16 units. */
export function tellConstraints({ requests, before, file }: UserWords, room: number): string[] {
  const told = spaced(before);
  const all = requests.constraints().filter((text) => !told.includes(spaced(text)));
  return listed(CONSTRAINTS_TITLE, all, {
    room: Math.min(room, CONSTRAINTS_ROOM),
    rest: (count) => `- ${count} older: ${file}`,
  });
}

/** Each prompt in short, as far as they fit. */
export function tellPrompts({ requests, before, file }: UserWords, room: number): string[] {
  const told = spaced(before);
  const isTold = (text: string) => told.includes(spaced(text).replace(/…$/, ''));
  const all = requests
    .inShort()
    .filter(({ text }) => !isTold(text))
    .map(({ number, text }) => `#${number}: ${text}`);
  const title = `Prompts so far in short, the newest first (whole in ${file}):`;
  return listed(title, all, { room: Math.min(room, PROMPTS_ROOM), rest: (count) => `- ${count} older` });
}

interface Fit {
  readonly room: number;
  /** The line that stands for what does not fit. */
  readonly rest: (count: number) => string;
}

/** The first items that fit below a title; nothing where there is room for none. */
function listed(title: string, items: readonly string[], { room, rest }: Fit): string[] {
  const left = room - title.length - 1 - rest(items.length).length - 1;
  const [fitting = []] = inTurns([items], left, (item) => item.length + 3);
  if (fitting.length === 0) return [];
  const missing = items.length - fitting.length;
  return [title, ...fitting.map((item) => `- ${item}`), ...(missing === 0 ? [] : [rest(missing)])];
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ');
}
