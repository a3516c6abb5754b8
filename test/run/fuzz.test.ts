import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { replaySource } from '../../src/replay/replay.ts';
import { talk } from '../support/fuzz/conversation.ts';
import { fuzz } from '../support/fuzz/fuzz.ts';
import { GIANTS } from '../support/fuzz/giants.ts';
import { preparePools } from '../support/fuzz/odd-lines.ts';
import { createRandom } from '../support/random.ts';
import { recordedDecisions } from '../support/record.ts';
import { sized } from '../support/size.ts';
import { unmasked } from '../support/unmasked.ts';

/** `CTXB_FUZZ_SEED=7` plays other streams than those of every day, `CTXB_FUZZ_LINES=5000000` longer ones. */
const SEED = Number(process.env.CTXB_FUZZ_SEED ?? 1);
const LINES = Number(process.env.CTXB_FUZZ_LINES ?? sized(1_000, 1_000_000));
const STREAMS = 20;
/** What a run still uses of the heap may not depend on how much went through it. */
const GROWTH_BYTES = 10_000_000;
const PATIENCE_MS = 400_000;

const WITHOUT_NOTES: Config = { ...DEFAULTS, memory: { ...DEFAULTS.memory, enabled: false } };
const OBSERVING: Config = { ...WITHOUT_NOTES, observe: true };

const REPLAY = { policy: DEFAULTS, series: false, stdin: Readable.from([]), mask: unmasked };

function replayed(file: string) {
  return replaySource({ file, subagents: [] }, REPLAY);
}

const pools = preparePools(createRandom(SEED));

// A broken line costs V8 the making of a stack trace, which nobody looks at.
const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

describe("claude's side", () => {
  it(
    'long streams: passes on every byte, judges every valid line, and leaks no memory',
    async () => {
      const heaps: number[] = [];
      let [lines, bytes, planted] = [0, 0, 0];
      for (let stream = 0; stream < STREAMS; stream++) {
        const config = stream % 2 === 0 ? OBSERVING : WITHOUT_NOTES;
        const fuzzed = await fuzz({ seed: SEED * STREAMS + stream, lines: LINES / STREAMS, config }, pools);
        lines += fuzzed.lines;
        bytes += fuzzed.bytes;
        planted += fuzzed.planted;
        heaps.push(fuzzed.heap);
      }
      const megabytes = heaps.map((heap) => Math.round(heap / 1_000_000));
      console.log(
        `${lines} lines, ${Math.round(bytes / 1e6)} MB, ${planted} calls and results checked, seed ${SEED}; ` +
          `heap behind each stream: ${megabytes.join(' ')} MB`,
      );
      expect(lines).toBeGreaterThanOrEqual(LINES);
      expect(Math.max(...heaps) - (heaps[0] ?? 0)).toBeLessThan(GROWTH_BYTES);
    },
    PATIENCE_MS,
  );

  it.each(GIANTS.filter(({ bytes = 0 }) => bytes <= sized(8 * 1024 * 1024, Number.POSITIVE_INFINITY)))(
    '$title',
    async (giant) => {
      await fuzz({ seed: SEED, lines: 0, config: WITHOUT_NOTES, giants: [giant] }, pools);
    },
    PATIENCE_MS,
  );

  it.each([
    { title: 'observed', config: OBSERVING, lines: sized(400, 40_000) },
    { title: 'acted on', config: WITHOUT_NOTES, lines: sized(400, 40_000) },
    { title: 'with notes', config: DEFAULTS, lines: sized(400, 2_000) },
  ])(
    'a replay of the same lines counts the same, and of the record decides the same: $title',
    async (stream) => {
      await fuzz({ seed: SEED, recorded: true, ...stream }, pools, async (run, fed) => {
        const file = join(run.folder, 'fed.ndjson');
        const record = run.record ?? '';
        writeFileSync(file, Buffer.concat(fed));
        const { gauge, turn } = run.state;
        const [plain, recorded] = [await replayed(file), await replayed(record)];
        expect(recorded).toMatchObject({ calls: gauge.calls, turns: turn.ended, context: { last: gauge.used } });
        // In a recording of stdout alone whatever looks like a prompt begins a turn.
        expect(plain.context.last).toBe(gauge.used);
        expect(plain.lines.malformed).toBe(recorded.lines.malformed);
        expect(recorded.actions).toEqual(recordedDecisions(record));
      });
    },
    PATIENCE_MS,
  );
});

describe("the caller's side", () => {
  it.each([
    { title: 'compacting before the next prompt', when: 'next-prompt', observe: false },
    { title: 'compacting at the end of a turn', when: 'boundary', observe: false },
    { title: 'observing', when: 'next-prompt', observe: true },
  ] as const)(
    'every line reaches claude once and in order: $title',
    async ({ when, observe }) => {
      const compaction = { ...DEFAULTS.compaction, when };
      const config = { ...WITHOUT_NOTES, observe, compaction, handoff: { ...DEFAULTS.handoff, enabled: false } };
      for (let round = 0; round < sized(1, 4); round++) {
        const seed = SEED * 100 + round;
        const { hidden, commands } = await talk({ seed, prompts: 60, oddLines: 60, growBy: 40_000, config }, pools);
        expect(commands > 0 && hidden > 0).toBe(!observe);
      }
    },
    PATIENCE_MS,
  );
});
