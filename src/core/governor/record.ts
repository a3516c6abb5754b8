import { decodeLine, decodeObject } from '../protocol/decode.ts';
import type { ExactReceipt } from '../protocol/exact-plan.ts';
import { countOf, type Fields, fieldsOf, isFields, parseFields, textOf, textsOf } from '../protocol/fields.ts';
import { asAsk } from './conversation/asks.ts';
import type { Decision } from './decisions.ts';
import { TIMERS } from './effects.ts';
import type { Input, OwnEvent, SpentBefore } from './input.ts';
import type { Asker } from './relief/relief-state.ts';
import type { Run } from './state.ts';

/**
 * A record of everything the governor was told, one `{t, from, line}` per line: `t` in milliseconds since the epoch,
 * `line` as it was read. Replaying it gives the same decisions. The first line holds the run itself; after a line stand
 * the decisions that it led to, each `{t, decided}`, which a replay only holds its own against.
 */
export interface RecordLine {
  readonly t: number;
  readonly from: Input['from'];
  readonly line: string;
}

const VERSION = 1;

/** What is recorded of an input; `raw` is the line it was decoded from, where it was one. */
export function toRecord(input: Input, raw: string | undefined): RecordLine {
  const line = raw ?? JSON.stringify({ ...input.event, type: `ctxb_${input.event.kind}` });
  return { t: input.t, from: input.from, line };
}

export function recordRun(run: Run, t: number): RecordLine {
  return { t, from: 'ctxb', line: JSON.stringify({ type: 'ctxb_run', version: VERSION, decisions: true, run }) };
}

export function recordDecision(decision: Decision, t: number): object {
  return { t, decided: decision };
}

/** Whether a recorded line holds a decision. */
export function isDecisionLine(value: Fields): boolean {
  return 'decided' in value && !('type' in value) && isFields(value.decided);
}

/** The run a record was made in, when `value` is such an opening line. */
export function readRecordedRun(value: Fields): Run | undefined {
  if (value.from !== 'ctxb' || typeof value.line !== 'string' || !value.line.includes('"ctxb_run"')) return undefined;
  const opening = parseFields(value.line);
  if (opening.type !== 'ctxb_run' || opening.version !== VERSION || !isFields(opening.run)) return undefined;
  // The version says that this program wrote it, in this shape.
  return opening.run as unknown as Run;
}

/**
 * The input in a recorded line; undefined for any other line. Also reads recordings of
 * both directions (`{"to":"claude"|"from":"claude","at","line"}`), whose time begins at 0.
 */
export function readRecord(value: Fields, lastTime: number): Input | undefined {
  const line = textOf(value.line);
  if (line === undefined) return undefined;
  const t = countOf(value.t) ?? countOf(value.at) ?? lastTime;
  if (value.to === 'claude') return { t, from: 'caller', event: decodeLine(line), line };
  switch (value.from) {
    case 'claude':
      return { t, from: 'claude', event: decodeLine(line) };
    case 'caller':
      return readCaller(line, t);
    case 'timer': {
      const { timer: name } = parseFields(line);
      const timer = TIMERS.find((each) => each === name) ?? 'compaction';
      return { t, from: 'timer', event: { kind: 'timeout', timer } };
    }
    case 'ctxb':
      return { t, from: 'ctxb', event: readOwnEvent(parseFields(line)) };
    default:
      return undefined;
  }
}

function readCaller(line: string, t: number): Input {
  const fields = parseFields(line);
  if (fields.type === 'ctxb_end') return { t, from: 'caller', event: { kind: 'end' } };
  const event = Object.keys(fields).length > 0 ? decodeObject(fields) : decodeLine(line);
  return { t, from: 'caller', event, line };
}

type Told<K extends OwnEvent['kind']> = Omit<Extract<OwnEvent, { readonly kind: K }>, 'kind'>;

/** The fields of what ctxb had to say, checked; undefined: no version has written them. */
const READERS: { readonly [K in OwnEvent['kind']]: (fields: Fields) => Told<K> | undefined } = {
  begin: () => ({}),
  interrupt: () => ({}),
  state: ({ to, source }) => ({ to: textOf(to) ?? '', source: source === 'told' ? 'told' : 'pattern' }),
  'dead-end': ({ text }) => ({ text: textOf(text) ?? '' }),
  'exact-folder': ({ path, guarded }) => ({ path: textOf(path), guarded: guarded === true }),
  'exact-proved': () => ({}),
  // Checked where the file was read.
  'exact-receipt': ({ receipt, kept }) => ({ receipt: receipt as ExactReceipt, kept: textsOf(kept) }),
  earlier: ({ entry }) => ({ entry: fieldsOf(entry) }),
  notes: ({ path }) => ({ path: textOf(path) ?? '' }),
  'handoff-problems': ({ problems }) => ({ problems: textsOf(problems) }),
  'handoff-written': ({ path, text, by, problems }) => ({
    path: textOf(path),
    text: textOf(text) ?? '',
    by: by === 'agent' ? 'agent' : 'memory',
    problems: textsOf(problems),
  }),
  'project-cost': ({ others, earlier }) => ({ others: countOf(others) ?? 0, earlier: countOf(earlier) ?? 0 }),
  'cost-answer': ({ limitUsd }) => ({ limitUsd: typeof limitUsd === 'number' ? limitUsd : undefined }),
  ask({ ask: asked, by }) {
    const ask = asAsk(asked);
    return ask && { ask, by: askerIn(fieldsOf(by)) };
  },
  'stop-answer': ({ goesOn }) => ({ goesOn: goesOn === true }),
  'file-measured': ({ requestId, file }) => ({ requestId: textOf(requestId) ?? '', file: measureIn(fieldsOf(file)) }),
  'hook-failed': ({ requestId }) => ({ requestId: textOf(requestId) ?? '' }),
  'result-stored': ({ requestId, path }) => ({ requestId: textOf(requestId) ?? '', path: textOf(path) }),
  recovered: ({ answers, document, spent, ...fields }) => ({
    ...endIn(fields),
    answers: textsOf(answers),
    document: documentIn(fieldsOf(document)),
    spent: spentIn(fieldsOf(spent)),
  }),
  exit: ({ code, signal, logged, delivered, ...fields }) => ({
    code: countOf(code),
    signal: textOf(signal),
    logged: logged === true,
    delivered: textsOf(delivered),
    ...endIn(fields),
  }),
};

function askerIn({ from, id }: Fields): Asker {
  return { from: from === 'caller' ? from : 'command', id: textOf(id) ?? '' };
}

function endIn({ finished, openTool }: Fields) {
  return { finished: finished === true, openTool: textOf(openTool) };
}

function measureIn({ lines, fitting }: Fields) {
  const [all, some] = [countOf(lines), countOf(fitting)];
  return all === undefined || some === undefined ? undefined : { lines: all, fitting: some };
}

/** What a run has spent, as it was written down. */
function spentIn({ settled, open, raised, agents, lost }: Fields): SpentBefore {
  const limits = Object.entries(fieldsOf(raised)).filter(([, usd]) => typeof usd === 'number');
  return {
    settled: sumIn(settled),
    open: sumIn(open),
    raised: Object.fromEntries(limits),
    agents: countOf(agents) ?? 0,
    lost: countOf(lost) ?? 0,
  };
}

/** Whole micro-dollars; below 0 where claude reported less than had been computed. */
function sumIn(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : 0;
}

function documentIn({ path, text }: Fields) {
  const [where, words] = [textOf(path), textOf(text)];
  return where === undefined || words === undefined ? undefined : { path: where, text: words };
}

/** A line that no version has written says nothing. */
function readOwnEvent(fields: Fields): OwnEvent {
  const kind = textOf(fields.type)?.replace(/^ctxb_/, '') ?? '';
  const told = Object.hasOwn(READERS, kind) ? READERS[kind as OwnEvent['kind']](fields) : undefined;
  return told === undefined ? { kind: 'begin' } : ({ kind, ...told } as OwnEvent);
}
