import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { recordRun } from '../../src/core/governor/record.ts';
import { buildNotes } from '../../src/replay/read-notes.ts';
import { runWith } from '../support/governor.ts';
import { unmasked } from '../support/unmasked.ts';

const FIRST = '11111111-aaaa-4bbb-8ccc-000000000001';
const FRESH = '11111111-aaaa-4bbb-8ccc-000000000002';

const init = (session: string) => ({ type: 'system', subtype: 'init', session_id: session, model: 'm', cwd: '/w' });
const prompt = { type: 'user', message: { role: 'user', content: 'fix the parser' } };

it('notes the fresh context of a recorded run as a handoff, so the task stays', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'notes-'));
  try {
    const heard = (from: string, line: object) => JSON.stringify({ t: 1, from, line: JSON.stringify(line) });
    const lines = [
      JSON.stringify(recordRun(runWith({ mode: 'act' }), 1)),
      heard('claude', init(FIRST)),
      heard('caller', prompt),
      heard('claude', { type: 'result', subtype: 'success', session_id: FIRST, is_error: false, result: 'done' }),
      heard('claude', { type: 'conversation_reset', session_id: FIRST }),
      heard('claude', init(FRESH)),
    ];
    const file = join(folder, 'record.ndjson');
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    const index = await buildNotes({ file, subagents: [] }, Readable.from([]), unmasked, '.');
    expect(index).toContain('Task: fix the parser');
    expect(index.match(/^- #\d: handoff: [^[]*/gm)).toEqual([
      '- #1: handoff: goes on in a fresh context ',
      `- #2: handoff: goes on as session ${FRESH} `,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
