import { groupsIn, parseJson, textOf } from '../../protocol/fields.ts';
import { oneLine } from '../../text/words.ts';

export interface HandoffHead {
  readonly version: 1;
  /** Milliseconds since the epoch. */
  readonly t: number;
  readonly session: string;
  /** Why the session left the context. */
  readonly reason: string;
  /** `memory`: written by ctxb from its notes. */
  readonly by: 'agent' | 'memory';
  /** Size and window of the old context in tokens; null if unknown. */
  readonly tokens: number | null;
  readonly window: number | null;
  /** Problems in the document, one sentence each. */
  readonly checks: readonly string[];
}

const MARK = '---';
const VALUE_LENGTH = 500;
const MAX_CHECKS = 50;

/** Renders the head as YAML with JSON values, followed by the document. */
export function renderHandoffFile(head: HandoffHead, body: string): string {
  const { version, t, checks, ...others } = head;
  const fields = {
    version,
    time: new Date(t),
    ...others,
    session: oneLine(head.session, VALUE_LENGTH),
    reason: oneLine(head.reason, VALUE_LENGTH),
    checks: checks.slice(0, MAX_CHECKS).map((check) => oneLine(check, VALUE_LENGTH)),
  };
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${[MARK, ...lines, MARK].join('\n')}\n\n${body.trim()}\n`;
}

/** Splits off the head and reads claude's session id from it; undefined without a head. */
export function parseHandoffFile(text: string): { readonly session: string | undefined; readonly body: string } {
  const [head = ''] = groupsIn(/^(---\nversion: 1\n(?:[a-z]{1,20}: .*\n){1,40}---\n)/, text);
  const [session = ''] = groupsIn(/^session: (.*)$/m, head);
  return { session: textOf(parseJson(session)), body: text.slice(head.length).trim() };
}
