import { expect, it } from 'vitest';
import { createSessionReplay } from '../../../src/replay/session-replay.ts';
import { runWith } from '../../support/governor.ts';
import { asRead } from '../../support/recordings.ts';
import { unmasked } from '../../support/unmasked.ts';

const usage = { input_tokens: 4, cache_read_input_tokens: 9_000, output_tokens: 30 };
const row = (type: string, message: object, more: object = {}) => ({
  ...{ type, message: { role: type, ...message }, sessionId: 's1', version: '2.1.332', isSidechain: false },
  ...more,
});

it('takes the kind of a background subagent from its request', () => {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
  const input = { description: 'Count', prompt: 'Count the files.', subagent_type: 'Explore' };
  const launched = [{ type: 'tool_result', tool_use_id: 't1', content: 'Async agent launched successfully.' }];
  const own = { isSidechain: true, agentId: 'a2' };
  for (const line of [
    row('assistant', { id: 'msg_1', usage, content: [{ type: 'tool_use', id: 't1', name: 'Agent', input }] }),
    row('user', { content: launched }, { toolUseResult: { status: 'async_launched', agentId: 'a2', isAsync: true } }),
    row('user', { content: 'Count the files.' }, own),
    row('assistant', { id: 'msg_2', usage, content: [{ type: 'text', text: '3' }] }, own),
  ]) {
    replay.line(asRead(JSON.stringify(line)));
  }
  expect(replay.summary('x').subagents).toMatchObject([{ id: 'a2', kind: 'Explore', calls: 1 }]);
});
