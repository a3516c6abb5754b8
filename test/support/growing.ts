import { readFileSync } from 'node:fs';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { recordRun } from '../../src/core/governor/record.ts';
import { policyWith, runWith } from './governor.ts';
import type { Random } from './random.ts';

/** Ends of the stages that a file grows in: anywhere, also inside a line or a character, and at the end of a line. */
export function stagesOf(content: Buffer, random: Random): number[] {
  const within = Array.from({ length: random.whole(2, 4) }, () => random.whole(1, content.length));
  const between = content.indexOf(10, random.whole(0, content.length - 1)) + 1;
  return [...within, between, content.length].sort((a, b) => a - b);
}

/** Every end of a line. */
export function lineEndsOf(content: Buffer): number[] {
  return [...content.keys()].filter((at) => content[at] === 10).map((at) => at + 1);
}

/** A recording of both directions as `ctxb run` records it. */
export function asRecord(path: string, remembers: boolean): Buffer {
  const { memory } = DEFAULTS;
  const run = runWith({ policy: policyWith({ memory: { ...memory, enabled: remembers } }) });
  return Buffer.concat([Buffer.from(`${JSON.stringify(recordRun(run, 1))}\n`), readFileSync(path)]);
}
