import { expect, it } from 'vitest';
import { createSessionReplay } from '../../../src/replay/session-replay.ts';
import { boundaryLine, callLine, initLine, type Line, runWith, userLine } from '../../support/governor.ts';
import { asRead } from '../../support/recordings.ts';
import { unmasked } from '../../support/unmasked.ts';

const COMMAND = '<command-name>/compact</command-name>\n<command-args></command-args>';

const at = (second: number, line: Line): Line => ({ ...line, timestamp: new Date(second * 1000).toISOString() });

it.each([
  { by: 'ctxb', uuid: '2ddd700c-6e4d-452b-94cf-000000000005' },
  { by: 'caller', uuid: '2ddd700c-6e4d-452b-94cf-3f2a5b9c1d05' },
])('attributes a command that claude logs after its effect to the $by', ({ by, uuid }) => {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
  const lines = [
    at(1, initLine({ claude_code_version: '2.1.330' })),
    at(2, callLine(50_000)),
    at(5, boundaryLine('manual', 50_000)),
    at(3, userLine('What was said.')),
    at(4, userLine(COMMAND, { uuid })),
    at(6, callLine(30_000)),
  ];
  for (const line of lines) replay.line(asRead(JSON.stringify(line)));
  expect(replay.summary('x').compactions).toMatchObject([{ by, how: 'exact', firstAfter: 30_000 }]);
});

it('counts a compaction as exact only after a call without a summary', () => {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
  const add = (line: Line) => replay.line(asRead(JSON.stringify(line)));
  const how = () => replay.summary('x').compactions.map((compaction) => compaction.how);
  for (const line of [initLine({ claude_code_version: '2.1.330' }), callLine(50_000), boundaryLine('auto', 50_000)]) {
    add(line);
  }
  expect(how()).toEqual(['summary']);
  add(callLine(20_000));
  expect(how()).toEqual(['exact']);
});
