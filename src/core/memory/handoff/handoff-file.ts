import { type Fields, numberOf, parsed, textOf, textsOf, timeOf } from '../../protocol/fields.ts';
import { oneLine } from '../words.ts';

export interface HandoffHead {
  readonly version: 1;
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** claude's session id. */
  readonly session: string;
  /** Why the context was left. */
  readonly reason: string;
  /** Written by the agent, or made from memory. */
  readonly by: 'agent' | 'memory';
  /** The context when it was left, and its window, in tokens; null where it is not known. */
  readonly tokens: number | null;
  readonly window: number | null;
  /** What was found wrong with it, a sentence each. */
  readonly checks: readonly string[];
}

export interface HandoffFile {
  /** Undefined if there is none, or an invalid one. */
  readonly head: HandoffHead | undefined;
  readonly body: string;
}

const MARK = '---';
const VALUE_LENGTH = 500;
const MAX_CHECKS = 50;

/** The head as YAML, whose values are JSON as well, and the document. */
export function renderHandoffFile(head: HandoffHead, body: string): string {
  const { version, t, session, reason, by, tokens, window, checks } = head;
  const time = new Date(t);
  const fields = {
    version,
    time: Number.isNaN(time.getTime()) ? null : time.toISOString(),
    session: oneLine(session, VALUE_LENGTH),
    reason: oneLine(reason, VALUE_LENGTH),
    by,
    tokens,
    window,
    checks: checks.slice(0, MAX_CHECKS).map((check) => oneLine(check, VALUE_LENGTH)),
  };
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${[MARK, ...lines, MARK].join('\n')}\n\n${body.trim()}\n`;
}

/** More lines than any head has. */
const MAX_LINES = 40;
const LINE = /^([a-z]{1,20}): (.*)$/;

export function parseHandoffFile(text: string): HandoffFile {
  const none = { head: undefined, body: text };
  const end = text.indexOf(`\n${MARK}\n`);
  if (!text.startsWith(`${MARK}\n`) || end < 0) return none;
  const lines = text.slice(MARK.length + 1, end).split('\n', MAX_LINES);
  const head = readHead(Object.fromEntries(lines.map(fieldIn)));
  return head === undefined ? none : { head, body: text.slice(end + MARK.length + 2).trim() };
}

function fieldIn(line: string): [key: string, value: unknown] {
  const [, key = '', value = ''] = LINE.exec(line) ?? [];
  return [key, parsed(value)];
}

function readHead({ version, time, session, reason, by, tokens, window, checks }: Fields): HandoffHead | undefined {
  const known = textOf(session);
  if (version !== 1 || known === undefined || (by !== 'agent' && by !== 'memory')) return undefined;
  return {
    version,
    t: timeOf(time) ?? 0,
    session: known,
    reason: textOf(reason) ?? '',
    by,
    tokens: numberOf(tokens) ?? null,
    window: numberOf(window) ?? null,
    checks: textsOf(checks),
  };
}
