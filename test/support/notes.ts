import type { Input } from '../../src/governor/input.ts';
import { createEntryMaker } from '../../src/memory/entries/make-entry.ts';
import type { CommandFacts, Entry, FileChange } from '../../src/memory/entry.ts';
import { createExtractor, type ExtractOptions } from '../../src/memory/extract/extract.ts';
import { createInputReader } from '../../src/replay/inputs.ts';
import { decodeObject } from '../../src/stream/decode.ts';
import type { Line } from './governor.ts';
import { linesOf } from './recordings.ts';

export interface Heard {
  readonly from: 'claude' | 'caller';
  readonly line: Line;
  /** Milliseconds since the epoch. */
  readonly t?: number;
}

/** The entries that lines amount to, as a run would note them. */
export function entriesOf(heard: readonly Heard[], options: Partial<ExtractOptions> = {}): Entry[] {
  const inputs = heard.map(({ from, line, t = 1 }): Input => {
    const event = decodeObject(line);
    return from === 'caller' ? { t, from, event, line: JSON.stringify(line) } : { t, from, event };
  });
  return noted(inputs, { live: true, ...options });
}

/** The entries of a recording. */
export function entriesIn(path: string): Entry[] {
  const reader = createInputReader();
  const inputs = linesOf(path).flatMap((text) => {
    const line = reader.read(text);
    return line.kind === 'input' ? [line.input] : [];
  });
  return noted(inputs, { live: false });
}

function noted(inputs: readonly Input[], options: Pick<ExtractOptions, 'live'> & Partial<ExtractOptions>): Entry[] {
  const extractor = createExtractor({ statePattern: undefined, deadEndPattern: undefined, ...options });
  const entryOf = createEntryMaker((text) => text);
  return inputs.flatMap((input) => extractor.add(input).map(entryOf));
}

/** An entry as a person would tell it: what the fixtures beside the recordings expect. */
export type Told = Readonly<Record<string, unknown>>;

/** Without fingerprints, times and the words that describe a call. */
export function told(entry: Entry): Told {
  switch (entry.kind) {
    case 'prompt':
      return { prompt: entry.text, ...(entry.pictures === 0 ? {} : { pictures: entry.pictures }) };
    case 'state':
      return { state: entry.what, ...(entry.from === undefined ? {} : { from: entry.from }), to: entry.to };
    case 'task':
      return { task: entry.subject, status: entry.status, ...ofAgent(entry.agent) };
    case 'remark':
      return { remark: entry.text, source: entry.source };
    case 'tool':
      return {
        tool: entry.name,
        id: entry.id,
        ...ofAgent(entry.agent),
        outcome: entry.outcome,
        ...(entry.command === undefined ? {} : toldCommand(entry.command)),
        ...(entry.reads === undefined ? {} : { reads: entry.reads }),
        ...(entry.changes === undefined ? {} : { changes: entry.changes.map(toldChange) }),
      };
  }
}

function ofAgent(agent: string | null): Told {
  return agent === null ? {} : { agent };
}

function toldCommand({ text, exit, background, ms, tail, counts }: CommandFacts): Told {
  return {
    command: text,
    exit,
    ...(background ? { background } : {}),
    ...(ms === null ? {} : { ms }),
    ...(tail === '' ? {} : { tail }),
    ...(counts === undefined ? {} : { counts }),
  };
}

function toldChange({ path, change, to }: FileChange): string {
  return to === undefined ? `${change} ${path}` : `${change} ${path} to ${to}`;
}
