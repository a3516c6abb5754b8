import { decodeLine } from '../../../src/core/protocol/decode.ts';
import { createFramer } from '../../../src/core/protocol/frame.ts';
import { createRandom, type Random } from '../random.ts';
import { createExpectedLines } from './expected-lines.ts';
import type { Pools } from './odd-lines.ts';
import { type PlayedOptions, type PlayedRun, playRun } from './played-run.ts';

/** A caller and a claude who talk over ctxb, both with odd lines in between. */
export interface Talk extends Pick<PlayedOptions, 'config'> {
  readonly seed: number;
  readonly prompts: number;
  /** Odd lines before each prompt and in each answer, at most. */
  readonly oddLines: number;
  /** Tokens by which the context grows in each turn. */
  readonly growBy: number;
}

export interface Talked {
  readonly lines: number;
  /** Lines that were hidden: those of turns that ctxb had started. */
  readonly hidden: number;
  /** `/compact` and the like, as they came to claude. */
  readonly commands: number;
  readonly stderr: string;
}

/**
 * Every line of the caller must come to claude once, in order, and with no byte changed but a `uuid` for prompts without
 * one; of claude's lines, whole ones may be hidden, and nothing else may be different.
 *
 * @throws with the seed, when that does not hold
 */
export async function talk({ seed, prompts, oddLines, growBy, config }: Talk, pools: Pools): Promise<Talked> {
  const random = createRandom(seed);
  const expected = createExpectedLines();
  const claude = playedAnswers(growBy, () => odd([pools.scraps, pools.strange], random, oddLines));
  using run = await playRun({ config, onStdout: expected.check, onStdin: claude.hear });
  const said: string[] = [];
  let lines = 0;

  async function answer(): Promise<void> {
    for (let turn = claude.next(); turn !== undefined; turn = claude.next()) {
      const bytes = Buffer.from(turn);
      lines += turn.split('\n').length - 1;
      expected.add(bytes);
      await run.claude(bytes);
    }
  }

  try {
    for (let number = 1; number <= prompts; number++) {
      const text = `${odd([pools.scraps, pools.strange, pools.brokenShort], random, oddLines)}${promptLine(number)}\n`;
      said.push(text);
      lines += text.split('\n').length - 1;
      await run.caller(Buffer.from(text));
      // Some come before the one before is answered.
      if (random.next() < 0.8) await answer();
    }
    await answer();
    run.callerEnds();
    while (!run.isInputClosed) {
      await answer();
      await new Promise(setImmediate);
    }
    const code = await run.end();
    if (code !== 0) throw new Error(`ended with ${code}: ${run.stderr}`);
    expected.end();
    compare(linesOf(said.join('')), claude.heard, runIdOf(run));
    return { lines, hidden: expected.left(), commands: claude.commands(), stderr: run.stderr };
  } catch (cause) {
    throw new Error(`seed ${seed}, line ${lines}: ${String(cause)}`, { cause });
  }
}

function promptLine(number: number): string {
  return JSON.stringify({
    type: 'user',
    message: { role: 'user', content: `ask ${number}` },
    parent_tool_use_id: null,
  });
}

/** Terminated lines, as text: what is no UTF-8 reaches claude as claude would read it. */
function odd(pools: readonly [readonly Buffer[], ...(readonly Buffer[])[]], random: Random, most: number): string {
  let text = '';
  for (let count = random.whole(0, most); count > 0; count--) {
    const pool = random.pick(pools);
    text += `${pool[random.whole(0, pool.length - 1)]}\n`;
  }
  return text;
}

/** Plays a claude that answers each prompt, compacts when told to, and says odd things as well. */
function playedAnswers(growBy: number, oddities: () => string) {
  const framer = createFramer();
  const heard: string[] = [];
  const pending: string[] = [];
  let calls = 0;
  let commands = 0;
  let context = FRESH;

  function turnFor(text: string): string {
    context += growBy;
    const usage = { input_tokens: 4, cache_read_input_tokens: context - 4 };
    const message = { id: `call-${++calls}`, model: 'claude-sonnet-4-5', content: [], usage };
    const result = { type: 'result', subtype: 'success', is_error: false, result: text, session_id: 's' };
    const init = { type: 'system', subtype: 'init', session_id: 's', model: 'claude-sonnet-4-5' };
    const call = { type: 'assistant', message, parent_tool_use_id: null, session_id: 's' };
    return `${oddities()}${json(init)}${json(call)}${oddities()}${json(result)}`;
  }

  function answerTo(line: string): string | undefined {
    const event = decodeLine(line);
    if (event.kind === 'control-request') {
      const response = { subtype: 'success', request_id: event.requestId, response: {} };
      return json({ type: 'control_response', response });
    }
    if (event.kind !== 'user') return undefined;
    if (!line.includes('"content":"/compact')) return turnFor(line.slice(0, 50));
    commands++;
    context = FRESH;
    return COMPACTION.map(json).join('');
  }

  return {
    heard,
    commands: () => commands,
    hear(bytes: Buffer): void {
      for (const line of framer.push(bytes)) {
        heard.push(line.toString());
        const answer = answerTo(line.toString());
        if (answer !== undefined) pending.push(answer);
      }
    },
    next: () => pending.shift(),
  };
}

/** Context of a session's first call, in tokens. */
const FRESH = 20_000;

function json(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

const COMPACTION = [
  { type: 'system', subtype: 'status', status: 'compacting', session_id: 's' },
  { type: 'system', subtype: 'status', status: null, compact_result: 'success', session_id: 's' },
  { type: 'system', subtype: 'init', session_id: 's', model: 'claude-sonnet-4-5' },
  { type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: 'manual', pre_tokens: 160_000 } },
  { type: 'user', message: { role: 'user', content: 'SUMMARY' }, isSynthetic: true, session_id: 's' },
  { type: 'result', subtype: 'success', is_error: false, num_turns: 0, result: '', session_id: 's' },
];

function compare(said: readonly string[], heard: readonly string[], runId: string): void {
  const prefix = runId.slice(0, -12);
  const stamp = new RegExp(`,"uuid":"${prefix}f[0-9a-f]{11}"`);
  const own = new RegExp(`"ctxb:|"${prefix}0[0-9a-f]{11}"`);
  const theirs = heard.filter((line) => !own.test(line)).map((line) => line.replace(stamp, ''));
  for (const isPrompt of [true, false]) {
    const [wanted, found] = [said, theirs].map((all) => all.filter((line) => isUser(line) === isPrompt));
    const at = (wanted ?? []).findIndex((line, index) => line !== found?.[index]);
    if (at !== -1 || wanted?.length !== found?.length) {
      const what = isPrompt ? 'prompt' : 'line';
      throw new Error(`${what} ${at} of ${wanted?.length}/${found?.length}: ${json([wanted?.[at], found?.[at]])}`);
    }
  }
}

function isUser(line: string): boolean {
  return decodeLine(line).kind === 'user';
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => `${line}\n`);
}

function runIdOf(run: PlayedRun): string {
  return run.state.run.runId;
}
