import { tokensOfText } from '../../src/core/exact/message.ts';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import type { SessionSummary } from '../../src/replay/summary.ts';
import {
  boundaryLine,
  callLine,
  initLine,
  type Line,
  type PolicyChanges,
  policyWith,
  runWith,
  userLine,
} from './governor.ts';
import { asRead } from './recordings.ts';
import { unmasked } from './unmasked.ts';

/** A call in a test. Omitted fields follow from the previous call. */
export interface CallSketch {
  readonly context: number;
  /** A prompt comes before the first call of a turn. */
  readonly turn?: number;
  readonly output?: number;
  /** Tokens read from the cache. Default: the previous context. */
  readonly cacheRead?: number;
  /** The prompt of its turn. */
  readonly asks?: string;
  /** The model's text. */
  readonly says?: string;
  /** Beginning of the tool result. Padding follows, so that the context has its size. */
  readonly gets?: string;
  /** Milliseconds since the epoch. */
  readonly t?: number;
}

export interface SessionSketch {
  readonly calls: readonly CallSketch[];
  /** Numbers of calls after which claude wrote a summary. */
  readonly compactedAfter?: readonly number[];
  readonly window?: number;
  readonly model?: string;
  readonly policy?: PolicyChanges;
}

/** A recorded session with its series, and the estimate with ctxb. */
export function sketched({ calls, compactedAfter = [], policy, ...more }: SessionSketch): SessionSummary {
  const { window = 200_000, model = 'claude-opus-4-5' } = more;
  const run = runWith({ mode: 'replay', policy: policyWith({ window, ...policy }) });
  const replay = createSessionReplay({ run, series: true, whatIf: true, mask: unmasked });
  for (const line of sketchedLines({ calls, compactedAfter, model })) replay.line(asRead(JSON.stringify(line)));
  return replay.summary('recording');
}

/** The lines of such a session, as claude streams them. */
export function sketchedLines({ calls, compactedAfter = [], model = 'claude-opus-4-5' }: SessionSketch): Line[] {
  if (calls.length === 0) return [];
  const lines = calls.flatMap((call, at): Line[] => {
    const [before, next] = [calls[at - 1], calls[at + 1]];
    const timestamp = new Date(call.t ?? 0).toISOString();
    const isNewTurn = before === undefined || before.turn !== call.turn;
    const summary = compactedAfter.includes(at + 1) ? [boundaryLine('auto', call.context), summaryLine()] : [];
    const lines = [
      ...(isNewTurn ? [userLine(call.asks ?? `Go on with part ${call.turn ?? 1}.`)] : []),
      ...roundOf(call, { at, before, next, model }),
    ];
    return [...lines.map((line) => ({ ...line, timestamp })), ...summary];
  });
  return [initLine({ model }), ...lines];
}

function summaryLine(): Line {
  return userLine('This session is being continued.', { isCompactSummary: true });
}

interface Around {
  readonly at: number;
  readonly before: CallSketch | undefined;
  readonly next: CallSketch | undefined;
  readonly model: string;
}

/** A call with a tool, and its result. */
function roundOf(call: CallSketch, { at, before, next, model }: Around): Line[] {
  const { context, output = 0, cacheRead, says = '', gets = '' } = call;
  const hit = Math.min(context, cacheRead ?? before?.context ?? 0);
  const input = Math.min(4, context - hit);
  const usage = {
    input_tokens: input,
    cache_creation_input_tokens: context - hit - input,
    cache_read_input_tokens: hit,
    output_tokens: output,
  };
  const use = {
    type: 'tool_use',
    id: `toolu_${at}`,
    name: 'Bash',
    input: { command: `part ${'abcdefghij'[at % 10]}` },
  };
  const content = [...(says ? [{ type: 'text', text: says }] : []), use];
  const message = { id: `m${at}`, role: 'assistant', model, content, usage };
  const text = `${gets}\n${wordsOf((next?.context ?? context) - context - output)}`;
  return [callLine(0, { message }), userLine([{ type: 'tool_result', tool_use_id: use.id, content: text }])];
}

/** Words of about as many tokens. */
function wordsOf(count: number): string {
  return 'word '.repeat(Math.max(0, Math.round(count / (tokensOfText('word '.repeat(1_000)) / 1_000))));
}
