import { expect, it } from 'vitest';
import { createCallIdentity } from '../../../src/core/governor/call-identity.ts';
import { decodeObject } from '../../../src/core/protocol/decode.ts';
import { callLine, type Line, userLine } from '../../support/governor.ts';

const call = (used: number, more: Line = {}) => {
  const line = callLine(used, more);
  return { ...line, message: { ...(line.message as Line), id: 'same' } };
};
const result = userLine([{ type: 'tool_result', tool_use_id: 't', content: 'so' }]);

function idsOf(...lines: readonly Line[]) {
  const identified = createCallIdentity();
  return lines.map(decodeObject).flatMap((event) => {
    const read = identified(event);
    return read.kind === 'assistant' ? [read.messageId] : [];
  });
}

it.each([
  { name: 'lines of one call', lines: [call(5), call(5)], ids: ['same', 'same'] },
  {
    name: 'lines of one call around the result of its first tool',
    lines: [call(5), result, call(5)],
    ids: ['same', 'same'],
  },
  { name: 'a call that has read more behind a result', lines: [call(5), result, call(9)], ids: ['same', 'same 2'] },
  {
    name: 'further lines of that',
    lines: [call(5), result, call(9), result, call(9)],
    ids: ['same', 'same 2', 'same 2'],
  },
  { name: 'a call behind a prompt', lines: [call(5), userLine('go on'), call(9)], ids: ['same', 'same 2'] },
  {
    name: 'a call of a subagent in between',
    lines: [call(5), call(7, { parent_tool_use_id: 'a' }), result, call(9)],
    ids: ['same', 'same', 'same 2'],
  },
])('tells calls with one id apart: $name', ({ lines, ids }) => {
  expect(idsOf(...lines)).toEqual(ids);
});
