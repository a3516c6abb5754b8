import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { quantile, sized } from './measure.ts';

const COUNT = sized(300, 20);
const COUNT_OF_LARGE = sized(100, 10);

/**
 * What claude hands its hooks of a result: of one that it stores itself (all of 5 MB, as a rule) a note of 1,400
 * characters; of Bash 30,000 characters at most; of an MCP tool 100,000. Only a user's own limits let 5 MB pass whole.
 */
const SIZES = [
  { name: '5 MB, stored by claude', characters: 1_400, count: COUNT },
  { name: '30,000 characters, cut', characters: 30_000, count: COUNT },
  { name: '100,000 characters, cut', characters: 100_000, count: COUNT },
  { name: '5 MB whole, cut', characters: 5_000_000, count: COUNT_OF_LARGE },
] as const;

/** How long a claude waits for the answer about a tool's result, pipes and parsing included. */
export async function benchHookAnswers(folder: string, ctxb: string, env: Record<string, string>): Promise<void> {
  const program = join(process.cwd(), 'fixtures', 'programs', 'asks-about-results.mjs');
  console.log('\nAnswer to PostToolUse, from the question to the answer in claude, beside the smallest');
  let smallest: number | undefined;
  for (const { name, characters, count } of SIZES) {
    const times = join(folder, `times-${characters}.json`);
    const claude = join(folder, `asks-${characters}`);
    writeFileSync(claude, `#!/bin/sh\nexec '${process.execPath}' '${program}' ${characters} ${count} '${times}'\n`);
    chmodSync(claude, 0o755);
    await promisify(execFile)(process.execPath, [ctxb, 'run', '--quiet', '--', claude, '-p', 'x'], {
      env,
      cwd: folder,
    });
    const took = JSON.parse(readFileSync(times, 'utf8')) as number[];
    const median = quantile(took, 0.5);
    smallest ??= median;
    const figures = [median, quantile(took, 0.99)].map((ms) => ms.toFixed(1).padStart(7)).join(' ms');
    const ratio = (median / smallest).toFixed(2).padStart(6);
    console.log(`  ${name.padEnd(34)}${figures} ms  ${ratio} ×  (median, 99th percentile of ${took.length})`);
  }
}
