import { readFileSync } from 'node:fs';
import {
  createMessage,
  type ToolResult,
  type ToolUse,
  tokensOfAll,
  tokensOfText,
  toolUseBlock,
} from '../../src/core/exact/message.ts';
import { plainText } from '../../src/core/protocol/blocks.ts';
import type { AssistantEvent, Event, UserEvent } from '../../src/core/protocol/events.ts';
import { contextOf } from '../../src/core/protocol/usage.ts';
import { createInputReader } from '../../src/replay/input-reader.ts';
import { findIn } from '../../src/replay/read/line-feed.ts';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import { ownWords, wordsIn } from '../../src/replay/words-used.ts';
import type { Move, PlayedJob, PlayedTurn, Sight } from '../support/economy/played-claude.ts';
import { runWith } from '../support/governor.ts';
import { unmasked } from '../support/unmasked.ts';

/** A call of a recorded session. */
interface Recorded {
  /** Milliseconds since the epoch; 0 where the recording has no times. */
  readonly t: number;
  text: string;
  readonly uses: ToolUse[];
  readonly results: ToolResult[];
  output: number;
}

interface RecordedTurn {
  readonly prompt: string;
  readonly calls: Recorded[];
}

/** The main thread of a recorded session, as far as a model would do it again. */
export interface RecordedSession {
  readonly turns: readonly RecordedTurn[];
  readonly model: string | undefined;
  /** Tokens. */
  readonly window: number;
  /** Tokens that are always there: the smallest context, without the first prompt. */
  readonly prefix: number;
}

/** Reads a session log, or a recorded stream; undefined: it has no calls, or its window is not known. */
export function readRecorded(file: string): RecordedSession | undefined {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
  const inputs = createInputReader();
  const reader = createReader();
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    const found = findIn(text);
    replay.line(found);
    const line = inputs.read(found);
    if (line.kind === 'input' && line.input.from === 'claude') reader.read(line.input.event, line.input.t);
  }
  const { window } = replay.summary(file);
  const { turns, model, least } = reader.found();
  if (turns.length === 0 || window.tokens === null) return undefined;
  const prompt = tokensOfText(turns[0]?.prompt ?? '');
  return { turns, model, prefix: Math.max(0, least - prompt), window: window.tokens };
}

function createReader() {
  const turns: RecordedTurn[] = [];
  const calls = new Map<string, Recorded>();
  let prompt = '';
  let model: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  let last: Recorded | undefined;

  function assistant(event: AssistantEvent, t: number): void {
    if (event.subagent !== null || event.isSynthetic) return;
    const call = calls.get(event.messageId) ?? begun(event, t);
    last = call;
    call.text += plainText(event.blocks);
    call.output = Math.max(call.output, event.usage?.output ?? 0);
    for (const block of event.blocks) {
      if (block.type === 'tool_use') call.uses.push({ tool_use_id: block.id, tool: block.name, input: block.input });
    }
  }

  function begun({ messageId, usage, model: name }: AssistantEvent, t: number): Recorded {
    const call: Recorded = { t, text: '', uses: [], results: [], output: 0 };
    calls.set(messageId, call);
    if (turns.length === 0 || prompt !== '') turns.push({ prompt, calls: [] });
    prompt = '';
    turns.at(-1)?.calls.push(call);
    model ??= name;
    if (usage !== undefined && contextOf(usage) > 0) least = Math.min(least, contextOf(usage));
    return call;
  }

  function user({ subagent, role, blocks }: UserEvent): void {
    if (subagent !== null) return;
    if (role === 'prompt') prompt = [prompt, plainText(blocks)].filter(Boolean).join('\n');
    for (const block of blocks) {
      if (block.type !== 'tool_result') continue;
      last?.results.push({ tool_use_id: block.toolUseId, text: block.text, isError: block.isError });
    }
  }

  return {
    read(event: Event, t: number): void {
      if (event.kind === 'assistant') assistant(event, t);
      if (event.kind === 'user') user(event);
    },
    found: () => ({ turns, model, least: Number.isFinite(least) ? least : 0 }),
  };
}

/**
 * The session once more, by a model that fetches again what it uses and does not see any more.
 *
 * @param onFetch told of each call that is made for that; undefined: the model remembers everything
 */
export function jobOfRecorded({ turns }: RecordedSession, onFetch?: () => void): PlayedJob {
  return () => {
    const known: { readonly use: ToolUse; readonly text: string }[] = [];
    let sees: Sight = () => true;
    let before = 0;
    let fetches = 0;

    function* moves(calls: readonly Recorded[]): Generator<Move> {
      for (const [index, call] of calls.entries()) {
        const ms = before === 0 ? 0 : call.t - before;
        before = call.t;
        if (ms > PAUSE_MS) yield { kind: 'pause', ms };
        if (onFetch !== undefined) yield* fetched(usedIn(call), onFetch);
        yield* again(call, index === calls.length - 1);
      }
    }

    function* fetched(words: ReadonlySet<string>, told: () => void): Generator<Move> {
      for (const word of words) {
        const source = sees(word) ? undefined : known.findLast(({ text }) => text.includes(word));
        if (source === undefined) continue;
        told();
        const id = `again_${++fetches}`;
        const results = [{ tool_use_id: id, text: source.text }];
        const uses = [{ ...source.use, tool_use_id: id }];
        yield { kind: 'call', text: '', uses, results, output: FETCH_OUTPUT, ends: false };
      }
    }

    function* again(call: Recorded, ends: boolean): Generator<Move> {
      for (const use of call.uses) {
        const result = call.results.find(({ tool_use_id }) => tool_use_id === use.tool_use_id);
        if (result !== undefined) known.push({ use, text: [result.text, ...ownWords(toolUseBlock(use))].join('\n') });
      }
      // Logs hold a placeholder for the output of most calls.
      const output = Math.max(
        call.output,
        tokensOfAll([createMessage('assistant', call.text, { toolUses: call.uses })]),
      );
      yield { kind: 'call', ...call, output, ends };
    }

    return turns.map(({ prompt, calls }): PlayedTurn => {
      const next = moves(calls);
      return {
        prompt,
        next(sight) {
          sees = sight;
          return next.next().value;
        },
      };
    });
  };
}

/** Shorter ones are those of calls themselves. */
const PAUSE_MS = 60_000;

/** Tokens of a call that fetches something. */
const FETCH_OUTPUT = 150;

/** What a call draws from what came before. */
function usedIn({ text, uses }: Recorded): Set<string> {
  return new Set([{ type: 'text', text } as const, ...uses.map(toolUseBlock)].flatMap(wordsIn));
}
