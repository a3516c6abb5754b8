import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { createScreen } from '../../src/demo/screen.ts';
import { PLAIN } from '../../src/report/style.ts';

it('wraps a long line at a space and aligns the continuation', async () => {
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { columns: 30 });
  const screen = createScreen(stdout, PLAIN, ['why does the build break on Sundays?']);
  await finished(screen.end('{"type":"system","subtype":"init","session_id":"s"}\n'));
  expect(stdout.read()).toBe('   you │ why does the build\n         break on Sundays?\n');
});
