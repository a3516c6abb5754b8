import { describe, expect, it } from 'vitest';
import { decisionText } from '../../src/messages.ts';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import { callLine, type Line, runWith } from '../support/governor.ts';
import { asRead } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';

const retry = (retry_delay_ms: number, error_status = 529) => ({
  ...{ type: 'system', subtype: 'api_retry', retry_delay_ms, error_status },
});

function decisionsIn(lines: readonly Line[]) {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
  for (const line of lines) replay.line(asRead(JSON.stringify(line)));
  return replay.summary('x').actions.map(decisionText);
}

describe('outages in a recording', () => {
  it('are reported as refused credentials', () => {
    expect(decisionsIn([retry(60_000, 401), callLine(30_000)])[0]).toBe(
      'the API refuses the credentials (401): claude tries again',
    );
  });

  it('are announced without an unknown duration', () => {
    expect(decisionsIn([retry(60_000), callLine(30_000)])).toEqual([
      'the API does not answer: claude tries again',
      'the API answers again: continuing',
    ]);
  });
});
