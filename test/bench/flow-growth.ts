import { mkdirSync, writeFileSync } from 'node:fs';
import { growthRows, growthTable, longFlow, measureFlow, measureLog, totals } from '../support/flow-growth.ts';
import { growthPicture } from './growth-picture.ts';

const PICTURE = 'docs/flow-growth.svg';

// The real claude, against the stand-in: the same 25 tasks as a flow and in one conversation.
const flow = await measureFlow(longFlow());
const log = await measureLog(longFlow());
for (const { run } of [flow, log]) if (run.code !== 0) throw new Error(run.stderr);
console.log(growthTable(growthRows(flow, log)));
mkdirSync('docs', { recursive: true });
writeFileSync(PICTURE, growthPicture({ flow: totals(flow.sizes), log: totals(log.sizes) }));
console.log(`drawn: ${PICTURE}`);
