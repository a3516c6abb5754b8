import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readPlain } from '../../../src/store/files/plain-file.ts';
import { isTorn, readLines } from '../../../src/store/files/read-lines.ts';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';
import { openCostLedger } from '../../../src/store/ledgers/cost-ledger.ts';
import { unmaskedText } from '../../../src/store/masks/disk-text.ts';
import { leaveInInbox } from '../../../src/store/runs/inbox.ts';
import { costLedgers } from '../../support/cost-ledger.ts';

const LOOKS = 1_000;
const LINE = '{"v":1,"t":"2026-03-09T12:00:00.000Z","run":"other","microUsd":7}\n';

let folder: string;
let path: string;

beforeEach(() => {
  folder = openContextDir(join(mkdtempSync(join(tmpdir(), 'ctxb-moving-')), '.context')).path;
  path = join(folder, 'cost.ndjson');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

/** Puts a file away and back, again and again, as another run may do at any moment. */
async function whileMoving(work: () => void, line = LINE): Promise<void> {
  writeFileSync(path, line);
  const code = `const { renameSync } = require('node:fs');
    const { parentPort, workerData: [here, away] } = require('node:worker_threads');
    parentPort.postMessage('on');
    for (;;) { renameSync(here, away); renameSync(away, here); }`;
  const worker = new Worker(code, { eval: true, workerData: [path, `${path}.away`] });
  try {
    await new Promise((resolve) => worker.once('message', resolve));
    for (let look = 0; look < LOOKS; look++) work();
  } finally {
    await worker.terminate();
  }
}

it.each([
  { title: 'read', look: () => readPlain(path, 1_000) ?? LINE, finds: [LINE] },
  { title: 'read line by line', look: () => [...readLines(path)].join(''), finds: [LINE.trim(), ''] },
  { title: 'looked at for a torn line', look: () => isTorn(path), finds: [false] },
])('a file that appears and disappears exists or does not while it is $title', async ({ look, finds }) => {
  await whileMoving(() => expect(finds).toContainEqual(look()));
});

it('a ledger that is being moved away is read or not, and never fails', async () => {
  const options = { now: () => Date.parse('2026-03-09T13:00:00Z'), runId: 'own', period: 'day' } as const;
  const place = { state: folder, project: '/project' };
  openCostLedger(place, { ...options, runId: 'other' }).add(7, { claimed: 0, call: 0 });
  [path = ''] = costLedgers(folder);
  const line = readFileSync(path, 'utf8');
  await whileMoving(() => expect([0, 7]).toContain(openCostLedger(place, options).spentByOthers()), line);
});

it('an inbox that its run removes refuses a line, and reports that no run is listening', async () => {
  const line = unmaskedText('x');
  await whileMoving(() => {
    try {
      leaveInInbox(path, line);
    } catch (error) {
      expect(String(error)).toContain('does not exist, so no ctxb reads it');
    }
  });
});
