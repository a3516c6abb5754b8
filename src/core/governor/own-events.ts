import type { ExactReceipt } from '../protocol/exact-plan.ts';
import {
  countOf,
  countOrZero,
  type Fields,
  fieldsOf,
  mapFields,
  numberOf,
  stringOf,
  textOf,
  textsOf,
} from '../protocol/fields.ts';
import type { Requester } from './relief/relief-state.ts';
import type { FileMeasure } from './tool-budget/tool-budget.ts';

/** Functions that check the value of each field. */
type Readers = Readonly<Record<string, (value: unknown) => unknown>>;

type Checked<R extends Readers> = { readonly [F in keyof R]: ReturnType<R[F]> };

type OptionalIn<R extends Readers> = { [F in keyof R]: undefined extends ReturnType<R[F]> ? F : never }[keyof R];

/** The fields that readers return; those that may be undefined can be left out. */
type FieldsBy<R extends Readers> = Omit<Checked<R>, OptionalIn<R>> & Partial<Checked<R>>;

export function readBy<R extends Readers>(readers: R, value: unknown): Checked<R> {
  const fields = fieldsOf(value);
  return Object.fromEntries(Object.entries(readers).map(([name, of]) => [name, of(fields[name])])) as Checked<R>;
}

/** The fields, or undefined if one is missing. */
function allOf<T extends object>(fields: T): { readonly [F in keyof T]: NonNullable<T[F]> } | undefined {
  return Object.values(fields).includes(undefined) ? undefined : (fields as ReturnType<typeof allOf<T>>);
}

const isTrue = (value: unknown) => value === true;

/** The end of a session, as its log shows it. */
const END = {
  /** Whether the log shows the end of the last turn. */
  finished: isTrue,
  /** A tool call without a result, in a few words; undefined if all have results. */
  openTool: textOf,
};

/** A whole number of micro-dollars, below 0 if claude reported less than ctxb computed. */
function wholeMicroUsd(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : 0;
}

/** The earlier spending of a resumed run, in micro-dollars. */
const SPENT = {
  /** Part that is already in the project's ledger. */
  settled: wholeMicroUsd,
  /** Further part: calls that were running when the run was interrupted. */
  open: wholeMicroUsd,
  /** Limits in US dollars that the user set in place of reached ones. */
  raised: (value: unknown): { readonly run?: number | undefined; readonly project?: number | undefined } =>
    mapFields(fieldsOf(value), numberOf),
  /** Number of subagents that the run had started. */
  agents: countOrZero,
  /** See `Spending.lost`. */
  lost: countOrZero,
};

export type SpentBefore = Checked<typeof SPENT>;

/** A request to a run from outside. `now`: within the running turn, if possible. */
export interface OutsideRequest {
  readonly what: 'compact' | 'handoff' | 'stop';
  readonly now: boolean;
}

/** Validates a request from parsed JSON; undefined for any other value. */
export function readOutsideRequest(value: unknown): OutsideRequest | undefined {
  const { what, now } = fieldsOf(value);
  return what === 'compact' || what === 'handoff' || what === 'stop' ? { what, now: now === true } : undefined;
}

/** Events of ctxb itself, or of a user through one of its commands, with the readers of their recorded fields. */
export const OWN_EVENTS = {
  /** claude's process is running. */
  begin: {},
  /** The user pressed Ctrl-C. */
  interrupt: {},
  /** The handoff document is complete; `path` is undefined if it could not be written. */
  'handoff-written': {
    ...{ path: textOf, text: stringOf, problems: textsOf },
    by: (value: unknown) => (value === 'agent' ? value : 'memory'),
  },
  /** Costs of other runs of the project, and of this run before the period began, in micro-dollars. */
  'project-cost': { others: countOrZero, earlier: countOrZero },
  /** The user's answer at a cost limit: a new limit in US dollars, or undefined to stop. */
  'cost-answer': { limitUsd: numberOf },
  /** An interrupted run resumes. */
  recovered: {
    /** Lines of prompts that claude received and has not answered. */
    answers: textsOf,
    /** The document with which a fresh session begins. */
    document: (value: unknown) => allOf(readBy({ path: textOf, text: textOf }, value)),
    spent: (value: unknown) => readBy(SPENT, value),
    /** The permissions that the caller had set, as claude writes them in settings. */
    permissions: (value: unknown): Fields | undefined => (value === undefined ? undefined : fieldsOf(value)),
    ...END,
  },
  /** claude's process has ended. */
  exit: {
    ...{ code: countOf, signal: textOf },
    /** Whether the session has a log, so that it can be resumed. */
    logged: isTrue,
    /** `uuid`s of the running turn's prompts that are in the log. */
    delivered: textsOf,
    /** Cost of the calls since claude's last report by its log, in micro-dollars; undefined without a log. */
    openMicroUsd: countOf,
    ...END,
  },
  /** The state of the work, reported with `ctxb note state`. */
  state: { to: stringOf },
  /** An approach that does not work, reported with `ctxb note dead-end`. */
  'dead-end': { text: stringOf },
  /** An entry of working memory from an earlier run of the same session. */
  earlier: { entry: fieldsOf },
  /** Tokens and cost of a subagent's calls by its log, or by claude's counter. */
  'agent-read': { id: stringOf, tokens: countOrZero, microUsd: countOrZero },
  /** Size of a file that a tool is about to read; `file` is undefined if it is not text or does not exist. */
  'file-measured': {
    requestId: stringOf,
    file: (value: unknown): FileMeasure | undefined => allOf(readBy({ lines: countOf, fitting: countOf }, value)),
  },
  /** ctxb answered one of its hooks with an error, so claude continues without the answer. */
  'hook-failed': { requestId: stringOf },
  /** The path of a whole tool result; undefined if it could not be stored. */
  'result-stored': { requestId: stringOf, path: textOf },
  /**
   * `path` is undefined if the mod could not be written, or, with `guarded`, because claude must call the user's hook.
   */
  'exact-folder': { path: textOf, guarded: (value: unknown): boolean | undefined => value === true },
  /** The mod has responded. */
  'exact-proved': {},
  /** The result of the mod, checked, in the compaction that claude reports next, and the texts that stay. */
  'exact-receipt': { receipt: (value: unknown) => value as ExactReceipt, kept: textsOf },
  /** A request by `ctxb compact`, `ctxb handoff` or `ctxb stop`. Answered by an `answer-asker`. */
  ask: {
    ask: (value: unknown) => readOutsideRequest(value) as OutsideRequest,
    by: (value: unknown): Requester =>
      readBy({ from: (from) => (from === 'caller' ? from : 'command'), id: stringOf }, value),
  },
  /** The path of the session's notes, as the agent should write it. All earlier entries have been reported. */
  notes: { path: stringOf },
};

type Table = typeof OWN_EVENTS;

export type OwnEventOf<K extends keyof Table> = { readonly kind: K } & FieldsBy<Table[K]>;

export type OwnEvent = { [K in keyof Table]: OwnEventOf<K> }[keyof Table];

export type RecoveredEvent = OwnEventOf<'recovered'>;
export type ExitEvent = OwnEventOf<'exit'>;
