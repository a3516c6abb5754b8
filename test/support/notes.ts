import type { Input } from '../../src/core/governor/input.ts';
import type { CommandFacts, Entry, FileChange, ToolEntry } from '../../src/core/memory/entry.ts';
import type { ExtractOptions } from '../../src/core/memory/extract/extract.ts';
import { createEntrySource } from '../../src/core/memory/make-entry.ts';
import { decodeObject } from '../../src/core/protocol/decode.ts';
import { type Mask, oneLine } from '../../src/core/text/words.ts';
import { createInputReader } from '../../src/replay/input-reader.ts';
import type { Line } from './governor.ts';
import { asRead, linesOf } from './recordings.ts';
import { unmasked } from './unmasked.ts';

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
  return noted(inputs, { isLive: true, ...options });
}

/** The entry of one call whose result is a text, and of what was reported beside it. */
export function resultEntry(name: string, input: object, text: unknown, more: ResultMore = {}): ToolEntry {
  const use = { role: 'assistant', id: 'm1', model: 'm', content: [{ type: 'tool_use', id: 'toolu_1', name, input }] };
  const block = { type: 'tool_result', tool_use_id: 'toolu_1', content: text, is_error: more.failed === true };
  const common = { cwd: '/w', sessionId: 's1' };
  const lines: Line[] = [
    { ...common, type: 'assistant', message: use },
    { ...common, type: 'user', message: { role: 'user', content: [block] }, toolUseResult: more.report },
  ];
  const source = createEntrySource({ isLive: true, mask: more.mask ?? unmasked });
  const inputs = lines.map((line): Input => ({ t: 1, from: 'claude', event: decodeObject(line) }));
  const [entry] = inputs.flatMap((one) => source.add(one)).filter(({ kind }) => kind === 'tool');
  if (entry?.kind !== 'tool') throw new Error('there is no entry');
  return entry;
}

export interface ResultMore {
  readonly report?: unknown;
  readonly failed?: boolean;
  readonly mask?: Mask;
}

/** The entries of a recording. */
export function entriesIn(path: string): Entry[] {
  const reader = createInputReader();
  const inputs = linesOf(path).flatMap((text) => {
    const line = reader.read(asRead(text));
    return line.kind === 'input' ? [line.input] : [];
  });
  return noted(inputs, { isLive: false });
}

function noted(inputs: readonly Input[], options: ExtractOptions): Entry[] {
  const source = createEntrySource({ ...options, mask: unmasked });
  return inputs.flatMap((input) => source.add(input));
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
      return { remark: entry.text };
    case 'tool':
      return {
        tool: entry.name,
        id: entry.id,
        ...ofAgent(entry.agent),
        outcome: entry.outcome,
        ...(entry.command === undefined ? {} : toldCommand(entry.command)),
        ...(entry.reads === undefined ? {} : { reads: entry.reads }),
        ...(entry.change === undefined ? {} : { changes: [toldChange(entry.change)] }),
      };
  }
}

function ofAgent(agent: string | null): Told {
  return agent === null ? {} : { agent };
}

function toldCommand({ text, exit, background, ms, tail, failures }: CommandFacts): Told {
  return {
    command: text,
    exit,
    ...(background ? { background } : {}),
    ...(ms === null ? {} : { ms }),
    ...(tail === '' ? {} : { tail }),
    ...(failures === undefined ? {} : { failures }),
  };
}

function toldChange({ path, change }: FileChange): string {
  return `${change} ${path}`;
}

/** Pieces that texts from tools are made of to break a file that they are written to. */
const PIECES = [
  ...['a', 'word', 'é', '\u{1d11e}', 'e\u0301', '\ud834', '\udd1e', ' ', '\t', '3', '"', "'", '*', '- '],
  ...['\n', '\r\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f', '\n\n', '\u0000', '\u001b[31m', '\u202e', '\u2066'],
  ...['`', '``', '```', '````', '~~~', '```text', '# ', '## ', '## #1 · ', 'State: ', 'Task: ', '<!--', '[L1-2]', '→'],
];

/** Texts of such pieces, the same ones for the same seed. */
export function randomTexts(seed: number, count: number): string[] {
  const next = randomNumbers(seed);
  const pick = () => PIECES[next(PIECES.length)] ?? '';
  return Array.from({ length: count }, () => Array.from({ length: next(24) }, pick).join(''));
}

/** A seeded generator of integers below a limit. */
export function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Entries of every kind made of {@link randomTexts}; what entries hold on one line is on one. */
export function randomEntries(seed: number, count: number): Entry[] {
  const texts = randomTexts(seed, 400);
  const next = randomNumbers(seed + 1);
  const text = () => texts[next(texts.length)] ?? '';
  const agent = () => (next(3) === 0 ? text() : null);
  return Array.from({ length: count }, (_, t): Entry => {
    switch (next(6)) {
      case 0:
        return { kind: 'prompt', t, text: text(), pictures: next(3) };
      case 1:
        return { kind: 'state', t, what: 'state', from: oneLine(text(), 500), to: oneLine(text(), 500) };
      case 2:
        return { kind: 'task', t, agent: agent(), id: text(), subject: oneLine(text(), 120), status: text() };
      case 3:
        return { kind: 'remark', t, text: oneLine(text(), 500) };
      default:
        return randomCall(t, text, next);
    }
  });
}

function randomCall(t: number, text: () => string, next: (limit: number) => number): ToolEntry {
  const outcome = (['ok', 'failed', 'refused', 'cancelled'] as const)[next(4)] ?? 'ok';
  const change = (['created', 'edited'] as const)[next(2)] ?? 'edited';
  const command = { text: text(), exit: next(3), background: false, ms: next(5_000), tail: text() };
  return {
    kind: 'tool',
    t,
    id: oneLine(text(), 500),
    name: oneLine(text(), 500),
    agent: next(3) === 0 ? text() : null,
    outcome,
    title: oneLine(text(), 500),
    said: oneLine(text(), 500),
    input: String(next(20)),
    ...(next(2) === 0 ? { command } : {}),
    ...(next(2) === 0 ? { reads: text() } : {}),
    ...(next(2) === 0 ? { change: { path: text(), change } } : {}),
  };
}

let calls = 0;

/** A command of the main thread that is over. */
export function command(text: string, exit: number, more: Partial<ToolEntry> = {}): ToolEntry {
  const facts: CommandFacts = { text, exit, background: false, ms: null, tail: '' };
  return { ...callOf('Bash', text), outcome: exit === 0 ? 'ok' : 'failed', command: facts, ...more };
}

/** An edit of the main thread that worked. */
export function edit(path: string, more: Partial<ToolEntry> = {}): ToolEntry {
  return { ...callOf('Edit', path), change: { path, change: 'edited' }, ...more };
}

function callOf(name: string, title: string): ToolEntry {
  const id = `toolu_${++calls}`;
  const common = { kind: 'tool', t: calls, agent: null, outcome: 'ok', said: '', input: id, output: id } as const;
  return { ...common, id, name, title };
}
