import { mkdirSync, writeFileSync } from 'node:fs';
import { curatedTable, measureCurated } from '../support/curated-flow.ts';
import { growthRows, growthTable, longFlow, measureFlow, measureLog, totals } from '../support/flow-growth.ts';
import { growthPicture } from './growth-picture.ts';

const PICTURE = 'docs/flow-growth.svg';

/** The real claude, against the stand-in: the same 25 tasks as a flow and in one conversation. */
async function benchGrowth(): Promise<void> {
  const flow = await measureFlow(longFlow());
  const log = await measureLog(longFlow());
  for (const { run } of [flow, log]) if (run.code !== 0) throw new Error(run.stderr);
  console.log(growthTable(growthRows(flow, log)));
  mkdirSync('docs', { recursive: true });
  writeFileSync(PICTURE, growthPicture({ flow: totals(flow.sizes), log: totals(log.sizes) }));
  console.log(`drawn: ${PICTURE}`);
}

/** Twelve of them without and with a curator. */
async function benchCurator(): Promise<void> {
  console.log(curatedTable(await measureCurated(false), await measureCurated(true)));
}

/** Both, or the one named on the command line. */
const parts: Readonly<Record<string, () => Promise<void>>> = { growth: benchGrowth, curator: benchCurator };
const named = process.argv.slice(2);
for (const [name, bench] of Object.entries(parts)) if (named.length === 0 || named.includes(name)) await bench();
