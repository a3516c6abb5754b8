import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Config } from '../../../src/config/config.ts';
import { createRandom, type Random } from '../random.ts';
import { createExpected, type ExpectedBytes } from './expected-bytes.ts';
import type { Giant } from './giants.ts';
import type { Pools } from './odd-lines.ts';
import { type PlayedRun, playRun } from './played-run.ts';
import { createTorrent, inPieces, lineFeedsIn } from './torrent.ts';

/** A stream for one run, the same for the same seed. */
export interface FuzzStream {
  readonly seed: number;
  /** At least so many lines. */
  readonly lines: number;
  readonly config: Config;
  /** All that was fed is kept for `inspect`, and a record is made. */
  readonly recorded?: boolean;
  /** Allowed output. Default: the whole input. */
  readonly expected?: ExpectedBytes;
  /** Each comes once. */
  readonly giants?: readonly Giant[];
}

/** The input, and the state of the run after it. */
export interface Fuzzed {
  readonly lines: number;
  readonly bytes: number;
  /** Good lines that were checked to have been judged. */
  readonly planted: number;
  readonly code: number;
  /** Bytes of the heap that are still used at the end of the stream, when all that can be was let go of. */
  readonly heap: number;
}

/**
 * Feeds a stream, holds every byte that comes out against what went in, and after each block of it plants a call and a
 * result that must be judged, whatever came before.
 *
 * @throws when a byte differs, or a planted line was not judged: with seed and line
 */
export async function fuzz(
  { seed, lines: wanted, config, recorded = false, giants = [], expected = createExpected() }: FuzzStream,
  pools: Pools,
  inspect: (run: PlayedRun, fed: readonly Buffer[]) => Promise<void> = async () => {},
): Promise<Fuzzed> {
  const random = createRandom(seed);
  const torrent = createTorrent(pools, random);
  const fed: Buffer[] = [];
  const left = [...giants];
  let [lines, bytes, planted] = [0, 0, 0];
  using run = await playRun({ config, recorded, onStdout: expected.check });

  async function feed(piece: Buffer): Promise<void> {
    bytes += piece.length;
    if (recorded) fed.push(piece);
    expected.add(piece);
    await run.claude(piece);
  }

  async function plant(): Promise<void> {
    const { turn } = run.state;
    const context = 1_000 + planted;
    // A single call of another model may be one aside, whose size is not this context's; the second tells.
    await feed(plantedCall(`${seed}-${planted}a`, context));
    await feed(plantedCall(`${seed}-${planted}b`, context));
    const { used } = run.state.gauge;
    if (used !== context) throw new Error(`the gauge is ${used} behind a call of ${context}`);
    await feed(plantedResult(seed, planted));
    const { ended } = run.state.turn;
    if (ended !== turn.ended + 1) throw new Error(`${ended - turn.ended} turns have ended with one result`);
    planted++;
    lines += 3;
  }

  try {
    while (lines < wanted || left.length > 0) {
      const block = torrent.next();
      for (const piece of inPieces(block.bytes, random)) await feed(piece);
      lines += block.lines;
      for (const piece of left.shift()?.pieces() ?? []) {
        lines += lineFeedsIn(piece);
        await feed(piece);
      }
      await plant();
    }
    await feed(unterminated(random));
    const heap = heapAfterCollection();
    const code = await run.end();
    expected.end();
    await inspect(run, fed);
    return { lines, bytes, planted, code, heap };
  } catch (cause) {
    throw new Error(`seed ${seed}, before line ${lines} (byte ${bytes}): ${String(cause)}`, { cause });
  }
}

function plantedCall(id: string, context: number): Buffer {
  const usage = { input_tokens: 4, cache_creation_input_tokens: 0, cache_read_input_tokens: context - 4 };
  const message = { id: `planted-${id}`, model: 'claude-sonnet-4-5', content: [], usage };
  return Buffer.from(`${JSON.stringify({ type: 'assistant', message, parent_tool_use_id: null, session_id: 's' })}\n`);
}

function plantedResult(seed: number, number: number): Buffer {
  const result = { type: 'result', subtype: 'success', is_error: false, result: `planted ${seed}-${number}` };
  return Buffer.from(`${JSON.stringify({ ...result, session_id: 's' })}\n`);
}

/** The last line of a stream may have been cut off anywhere. */
function unterminated(random: Random): Buffer {
  const line = plantedResult(0, 0);
  return line.subarray(0, random.whole(1, line.length - 1));
}

/** Bytes of the heap that are used after all that can be was let go of. */
function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
