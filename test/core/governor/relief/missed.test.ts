import { describe, expect, it } from 'vitest';
import {
  missedAfterRelief,
  NO_TOOLS,
  type Tools,
  toolsAfter,
  USUALLY_MISSED,
} from '../../../../src/core/governor/relief/tool-results.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import type { Event } from '../../../../src/core/protocol/events.ts';
import { boundaryLine } from '../../../support/governor.ts';

let ids = 0;

const after = (tools: Tools, event: Event) => toolsAfter(tools, event, 0, true);

/** A tool call with its result, as two lines. */
function call(name: string, input: object, text = 'x'.repeat(4_000)): object[] {
  const id = `t${++ids}`;
  const message = { id: `m${ids}`, role: 'assistant', content: [{ type: 'tool_use', id, name, input }] };
  const result = { type: 'tool_result', tool_use_id: id, content: text };
  return [
    { type: 'assistant', message, parent_tool_use_id: null },
    { type: 'user', message: { role: 'user', content: [result] }, parent_tool_use_id: null },
  ];
}

const read = (path: string) => call('Read', { file_path: path });
const page = (path: string, offset: number) => call('Read', { file_path: path, offset });
const bash = (command: string) => call('Bash', { command });
const RELIEF = [boundaryLine('auto', 60_000)];

function missedIn(...lines: readonly (readonly object[])[]) {
  const tools = lines.flat().reduce<Tools>((so, line) => after(so, decodeObject(line as never)), NO_TOOLS);
  return tools.missed.at(-1);
}

describe('what is fetched again after a relief', () => {
  it.each([
    { name: 'a file that was seen', lines: [read('a'), RELIEF, read('a')], calls: 1 },
    { name: 'a command', lines: [bash('grep x'), RELIEF, bash('grep x')], calls: 1 },
    { name: 'another file', lines: [read('a'), RELIEF, read('b')], calls: 0 },
    {
      name: 'less what is fetched again although it is there',
      lines: [read('a'), read('b'), RELIEF, read('a'), read('b'), read('b')],
      calls: 1,
    },
    {
      name: 'also a page of a file, and its further pages are no repetition',
      lines: [read('a'), RELIEF, page('a', 80), page('a', 160), page('a', 240)],
      calls: 1,
    },
    { name: 'not what is run again in any case', lines: [bash('test'), bash('test'), RELIEF, bash('test')], calls: 0 },
    { name: 'not what an earlier relief had taken', lines: [read('a'), RELIEF, RELIEF, read('a')], calls: 0 },
    {
      name: 'not a change',
      lines: [call('Edit', { file_path: 'a' }), RELIEF, call('Edit', { file_path: 'a' })],
      calls: 0,
    },
  ])('$name', ({ lines, calls }) => {
    expect(missedIn(...lines)).toMatchObject({ calls });
  });

  it('is known of the newest names only', () => {
    const names = Array.from({ length: 600 }, (_, index) => `file-${index}`);
    const lines = names.flatMap(read).map((line) => decodeObject(line as never));
    const { known } = lines.reduce<Tools>(after, NO_TOOLS);
    expect(Object.keys(known).length).toBeLessThanOrEqual(500);
    expect(Object.keys(known).slice(-250)).toEqual(names.slice(-250).map((name) => `Read ${name}`));
  });

  it('is counted in tokens too', () => {
    expect(missedIn(read('a'), RELIEF, read('a'))?.tokens).toBeGreaterThan(500);
  });

  it('is expected to be usual at first, and then as it was', () => {
    expect(missedAfterRelief(NO_TOOLS)).toEqual(USUALLY_MISSED);
    const missed = [0, 7, 7, 7].map((calls) => ({ calls, tokens: calls * 1_000 }));
    expect(missedAfterRelief({ ...NO_TOOLS, missed })).toEqual({ calls: 5.5, tokens: 5_750 });
  });
});
