import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { promptLine, startWorld, type World } from '../support/claude.ts';
import { PROTOCOL, SMALL_WINDOW } from '../support/ctxb.ts';
import { playInProcess } from '../support/in-process.ts';

const RULE = 'Bash(touch denied)';
const REQUEST = { subtype: 'apply_flag_settings', settings: { permissions: { deny: [RULE] } } };

/** What the run has on disk for the process that resumes it. */
function keptOf({ scratch }: World): string {
  const folder = join(scratch.cwd, '.context', 'runs');
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

it('a rule is on disk before the program hears that it is set', async () => {
  await using world = await startWorld({ calls: [{ text: 'done' }] });
  const stdin = new PassThrough();
  let kept: string | undefined;
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      const text = String(chunk);
      if (text.includes('"request_id":"rule"')) kept = keptOf(world);
      if (text.includes('"type":"result"')) stdin.end();
      done();
    },
  });
  stdin.write(`${JSON.stringify({ type: 'control_request', request_id: 'rule', request: REQUEST })}\n`);
  stdin.write(`${JSON.stringify(promptLine('work'))}\n`);
  const streams = { claude: [...SMALL_WINDOW, ...PROTOCOL], stdin, stdout };
  expect(await playInProcess(world, streams, { values: [] })).toMatchObject({ code: 0 });
  expect(kept).toContain(RULE);
});
