import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { onOneLine, printable, printableJson, withoutControls } from '../../src/report/printable.ts';

const STEERING = [
  '\u0007',
  '\u001b[2J',
  '\u001b]0;owned\u0007',
  '\u0008',
  '\u009b31m',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
  '\u2028',
];
const STEERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

it.each(STEERING)('%j is removed from text, and escaped in JSON', (steering) => {
  expect(printable(`a${steering}\tb\nc`)).not.toMatch(STEERS);
  expect(onOneLine(`a${steering}\tb\nc`)).not.toMatch(/[\t\n]/);
  const json = printableJson({ [steering]: steering });
  expect(json).not.toMatch(STEERS);
  expect(JSON.parse(json)).toEqual({ [steering]: steering });
});

it.each(STEERING)('%j is removed from the output of a command that does not filter it', (steering) => {
  const stream = new PassThrough({ encoding: 'utf8' });
  withoutControls(stream).write(`a${steering}b\n`);
  expect(String(stream.read())).not.toMatch(STEERS);
});

it('keeps colors, the clearing of the status line, and CSV line ends', () => {
  const stream = new PassThrough({ encoding: 'utf8' });
  const text = '\u001b[1mbold\u001b[22m \u001b[32mgreen\u001b[39m\r\u001b[2K\ta,b\r\n';
  withoutControls(stream).write(text);
  expect(stream.read()).toBe(text);
});

it('removes sequences that hide text or use other colors', () => {
  const stream = new PassThrough({ encoding: 'utf8' });
  withoutControls(stream).write('\u001b[8mhidden\u001b[0;30;40m');
  expect(stream.read()).toBe('[8mhidden[0;30;40m');
});

it('behaves like the wrapped stream', () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const shown = withoutControls(stream);
  expect([shown.isTTY, shown.columns, shown.writable]).toEqual([true, 80, true]);
  expect(shown.once('finish', () => {})).toBe(stream);
});
