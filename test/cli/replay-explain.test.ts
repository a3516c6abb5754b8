import { describe, expect, it } from 'vitest';
import type { ReplayReport } from '../../src/replay/sums.ts';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb } from './fakes.ts';

const FILE = fixture('partial.ndjson');

describe('replay --explain', () => {
  it.each(['2', 'msg_standin_0002'])('shows the sources of the figures of call %s', async (call) => {
    await using place = await createPlace();
    const { code, stdout } = await ctxb(place, ['replay', '--explain', call, FILE]);
    expect(code).toBe(0);
    expect(stdout.toString()).toMatch(/^call 2: 30,500 tokens measured\n/);
    expect(stdout.toString()).toMatch(
      /predicted 30,000 of the call before \+ 38 of its output, as counted \+ 17 added since/,
    );
    expect(stdout.toString()).toMatch(/^ {2}Bash \(tool_result\) +\d+ +\d+ +16$/m);
  });

  it('with --json adds it to the session', async () => {
    await using place = await createPlace();
    const { stdout } = await ctxb(place, ['replay', '--json', '--explain', '2', FILE]);
    const { sessions } = JSON.parse(stdout.toString()) as ReplayReport;
    expect(sessions).toMatchObject([
      { explanation: { call: { number: 2, usd: 0.011022 }, prediction: { total: 30_055 }, error: { tokens: -445 } } },
    ]);
    expect(sessions[0]).not.toHaveProperty('series');
  });

  it.each([
    {
      name: 'a missing call',
      args: ['--explain', '3', FILE],
      message: /no call 3 in the main thread, which has 2/,
    },
    { name: 'the same, as JSON', args: ['--json', '--explain', 'msg_9', FILE], message: /no call msg_9/ },
    {
      name: 'two recordings',
      args: ['--explain', '1', FILE, fixture('compact.ndjson')],
      message: /--explain takes one recording: name only one/,
    },
  ])('refuses $name', async ({ args, message }) => {
    await using place = await createPlace();
    const { code, stdout, stderr } = await ctxb(place, ['replay', ...args]);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: '' });
    expect(stderr.toString()).toMatch(message);
  });
});
