import { expect, it } from 'vitest';
import { createSkipper } from '../../../src/replay/light/quick-reader.ts';

const result = (number: number, content: unknown, report: string) => ({
  parentUuid: null,
  sessionId: 's1',
  type: 'user',
  message: { role: 'user', content: [{ tool_use_id: `toolu_${number}`, type: 'tool_result', content }] },
  uuid: `row ${number}`,
  timestamp: '2026-05-01T10:00:00.000Z',
  toolUseResult: { stdout: report, agent: 1 },
  version: '2.1.197',
});

/** Reads the last of two rows of a form. */
function readSecond(line: string, needsTexts = false) {
  const skip = createSkipper(() => needsTexts);
  const [first, second] = [Buffer.from(JSON.stringify(result(1, 'a', 'a'))), Buffer.from(line)];
  expect(skip(first, 0, first.length)).toMatchObject({ kind: 'value' });
  return skip(second, 0, second.length);
}

it.each([
  { name: 'words', text: 'Some words.' },
  { name: 'colors', text: '\u001b[31mred\u001b[0m' },
  { name: 'an emoji', text: 'done 😀' },
  { name: 'a long text', text: 'a'.repeat(600_000) },
])('sizes a result with $name', ({ text }) => {
  const line = JSON.stringify(result(2, text, text));
  const sized = ['tool_result', expect.any(Number), text.length, 'toolu_2'];
  expect(readSecond(line)).toMatchObject({ kind: 'parts', own: [expect.anything(), expect.any(Number), sized] });
  expect(readSecond(line, true)).toMatchObject({ own: [expect.anything(), expect.any(Number), [{ text }]] });
});

it('sizes a list of one text', () => {
  const line = JSON.stringify(result(2, [{ type: 'text', text: 'one' }], 'one'));
  const sized = ['tool_result', expect.any(Number), 3, 'toolu_2'];
  expect(readSecond(line)).toMatchObject({ own: [expect.anything(), expect.any(Number), sized] });
});

it.each([
  { name: 'a picture', part: { type: 'image' }, expected: { images: 1 } },
  { name: 'a second text', part: { type: 'text', text: 'two' }, expected: { texts: ['one', 'two'] } },
  { name: 'a tool', part: { type: 'tool_reference', tool_name: 'WebFetch' }, expected: { definitions: ['WebFetch'] } },
])('keeps a list with $name', ({ part, expected }) => {
  const line = JSON.stringify(result(2, [{ type: 'text', text: 'one' }, part], 'one'));
  expect(readSecond(line)).toMatchObject({ own: [expect.anything(), expect.any(Number), [expected]] });
});

it('parses a report with a key that an escape hides', () => {
  const line = JSON.stringify(result(2, 'a', 'a')).replace('"agent"', String.raw`"agent\u0049d"`);
  expect(readSecond(line)).toBeUndefined();
});
