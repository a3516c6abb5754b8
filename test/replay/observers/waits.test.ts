import { describe, expect, it } from 'vitest';
import { decisionText } from '../../../src/messages.ts';
import { createSessionReplay } from '../../../src/replay/session-replay.ts';
import { sessionRows } from '../../../src/report/replay/session-rows.ts';
import { UNICODE } from '../../../src/report/style.ts';
import { callLine, type Line, resultLine, runWith, syntheticLine, userLine } from '../../support/governor.ts';
import { asRead } from '../../support/recordings.ts';
import { unmasked } from '../../support/unmasked.ts';

const at = (minute: number) => ({ timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString() });
const call = (minute: number) => ({ ...callLine(30_000), ...at(minute) });
const retry = (minute: number, retry_delay_ms: number, error_status = 529) => ({
  ...{ type: 'system', subtype: 'api_retry', retry_delay_ms, error_status },
  ...at(minute),
});
/** The same in a session log. */
const logged = (minute: number, retryInMs: number, status = 529) => ({
  ...{ type: 'system', subtype: 'api_error', error: { status }, retryInMs },
  ...at(minute),
});
const untimed = ({ timestamp: _, ...line }: Line) => line;
const failure = (minute: number) => ({ ...syntheticLine('API Error: 529 Overloaded.'), ...at(minute) });

function summaryOf(lines: readonly Line[]) {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
  for (const line of lines) replay.line(asRead(JSON.stringify(line)));
  return replay.summary('x');
}

const outage = (minutes: number, outages = 1) => ({ limits: 0, limitMs: 0, outages, outageMs: minutes * 60_000 });

describe('waits in a recording', () => {
  it.each([
    { name: 'none', lines: [call(0), call(5)], waits: undefined },
    { name: 'an outage', lines: [call(0), retry(1, 500), retry(2, 1_000), call(4)], waits: outage(3) },
    {
      name: 'an outage in a session log',
      lines: [call(0), logged(1, 500), logged(2, 1_000), call(4)],
      waits: outage(3),
    },
    { name: 'two', lines: [retry(1, 500), call(2), retry(3, 500), call(4)], waits: outage(2, 2) },
    {
      name: 'one that was given up, and another prompt hours later',
      lines: [retry(1, 60_000), failure(2), { ...userLine('Go on.'), ...at(300) }, call(301)],
      waits: outage(1),
    },
    {
      name: 'one in a stream whose lines around it have no time',
      lines: [untimed(retry(0, 500)), untimed(retry(0, 1_500)), call(600)],
      waits: { limits: 0, limitMs: 0, outages: 1, outageMs: 2_000 },
    },
    {
      name: 'one at the end of such a stream',
      lines: [untimed(retry(0, 500)), untimed(retry(0, 1_500))],
      waits: { limits: 0, limitMs: 0, outages: 1, outageMs: 500 },
    },
    {
      name: 'one in a stream whose calls have no time',
      lines: [{ ...userLine('Go.'), ...at(0) }, untimed(retry(0, 500)), untimed(call(0))],
      waits: { limits: 0, limitMs: 0, outages: 1, outageMs: 500 },
    },
    {
      name: 'a limit',
      lines: [call(0), retry(1, 7_200_000, 429), retry(60, 3_600_000, 429), call(121), resultLine()],
      waits: { limits: 1, limitMs: 7_200_000, outages: 0, outageMs: 0 },
    },
  ])('$name', ({ lines, waits }) => {
    expect(summaryOf(lines).waits).toEqual(waits);
  });

  it('are told as what they are where the API refuses the credentials', () => {
    const { actions } = summaryOf([untimed(retry(0, 60_000, 401)), call(4)]);
    expect(actions.map(decisionText)[0]).toBe('the API refuses the credentials (401): claude tries again');
  });

  it('are announced without a length that nobody knows', () => {
    const { actions } = summaryOf([untimed(retry(0, 60_000)), call(4)]);
    expect(actions.map(decisionText)).toEqual([
      'the API does not answer: claude tries again',
      'the API answers again: continuing',
    ]);
  });

  it.each([
    {
      name: 'their share of the time',
      lines: [call(0), retry(1, 500), call(4), call(10)],
      says: '1 outage of the API (3 min 0 s): 30% of the time',
    },
    {
      name: 'none where they were before it',
      lines: [untimed(retry(0, 900_000)), call(4), call(10)],
      says: '1 outage of the API (15 min 0 s)',
    },
  ])('are told with $name', ({ lines, says }) => {
    expect(sessionRows(summaryOf(lines), UNICODE)).toContain(`  waits     ${says}`);
  });
});
