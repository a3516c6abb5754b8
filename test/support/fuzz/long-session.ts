import { DEFAULTS } from '../../../src/config/defaults.ts';
import { type Held, held } from '../load.ts';
import { createRandom } from '../random.ts';
import { preparePools } from './odd-lines.ts';
import { playRun } from './played-run.ts';

/** A session in one process: so many turns, each of so many lines. */
export interface LongSession {
  readonly turns: number;
  readonly linesPerTurn: number;
  /** Everything that is held is looked at so often. */
  readonly looks: number;
}

/** What is held at each look, the first one after a tenth of the turns. */
export async function playLongSession({ turns, linesPerTurn, looks }: LongSession): Promise<Held[]> {
  const random = createRandom(1);
  const { strange } = preparePools(random);
  const config = { ...DEFAULTS, compaction: { ...DEFAULTS.compaction, enabled: false } };
  const seen: Held[] = [];
  let bytesOut = 0;
  let bytesIn = 0;
  using run = await playRun({
    config: { ...config, handoff: { ...DEFAULTS.handoff, enabled: false } },
    onStdout: (bytes) => {
      bytesOut += bytes.length;
    },
  });
  const every = Math.floor(turns / looks);
  for (let turn = 1; turn <= turns; turn++) {
    const lines = Array.from({ length: linesPerTurn - 3 }, () => strange[random.whole(0, strange.length - 1)]);
    const bytes = Buffer.from(`${[...callAndResult(turn), ...lines, resultOf(turn)].join('\n')}\n`);
    bytesIn += bytes.length;
    await run.claude(bytes);
    if (turn % every === 0) seen.push(await held());
  }
  const { ended } = run.state.turn;
  await run.end();
  if (ended !== turns) throw new Error(`${ended} of ${turns} turns were judged`);
  if (bytesOut !== bytesIn) throw new Error(`${bytesOut} of ${bytesIn} bytes came out`);
  return seen;
}

function callAndResult(turn: number): string[] {
  const usage = { input_tokens: 4, cache_read_input_tokens: 20_000 + (turn % 90) * 1_000 };
  const tool = { type: 'tool_use', id: `t${turn}`, name: 'Bash', input: { command: `echo step ${turn}` } };
  const message = { id: `m${turn}`, model: 'claude-sonnet-4-5', content: [tool], usage };
  const block = { type: 'tool_result', tool_use_id: `t${turn}`, content: `step ${turn}` };
  return [
    JSON.stringify({ type: 'assistant', message, parent_tool_use_id: null, session_id: 's' }),
    JSON.stringify({
      type: 'user',
      message: { role: 'user', content: [block] },
      parent_tool_use_id: null,
      session_id: 's',
    }),
  ];
}

function resultOf(turn: number): string {
  return JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: `${turn}`, session_id: 's' });
}
