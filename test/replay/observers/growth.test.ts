import { expect, it } from 'vitest';
import { createSessionReplay } from '../../../src/replay/session-replay.ts';
import { callLine, initLine, type Line, runWith, userLine } from '../../support/governor.ts';
import { asRead } from '../../support/recordings.ts';
import { unmasked } from '../../support/unmasked.ts';

it('names the tool of a result even if a back-end did not count the call that requested it', () => {
  const content = [{ type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/p/a.ts' } }];
  const uncounted = { id: 'msg_2', model: 'other-model', content, usage: { input_tokens: 0, output_tokens: 0 } };
  const lines: Line[] = [
    initLine(),
    callLine(8_000),
    { type: 'assistant', message: uncounted, parent_tool_use_id: null, session_id: 's1' },
    userLine([{ type: 'tool_result', tool_use_id: 't1', content: 'some text of a file '.repeat(20) }]),
    callLine(9_000),
  ];
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: true, explain: '2', mask: unmasked });
  for (const line of lines) replay.line(asRead(JSON.stringify(line)));
  const { growth, results, explanation } = replay.summary('x');
  expect(Object.keys(growth)).toContain('Read');
  expect(results).toMatchObject([{ tool: 'Read', target: '/p/a.ts' }]);
  expect(explanation?.prediction?.parts.map(({ source }) => source)).toContain('Read');
});
