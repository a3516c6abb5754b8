import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { decodeLine } from '../../src/core/protocol/decode.ts';
import { createScreen } from '../../src/demo/screen.ts';
import { PLAIN } from '../../src/report/style.ts';

it('breaks a long line at a blank, and goes on below where it begins', () => {
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { columns: 30 });
  const screen = createScreen(stdout, PLAIN, ['why does the build break on Sundays?']);
  screen.show(decodeLine('{"type":"system","subtype":"init","session_id":"s"}'));
  expect(stdout.read()).toBe('   you │ why does the build\n         break on Sundays?\n');
});
