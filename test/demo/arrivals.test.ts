import { expect, it } from 'vitest';
import { arrivals, handedBack, hasMixedIn, type Sighting, sightings } from '../../src/demo/facts.ts';
import type { RecordedRequest, RequestKind } from '../../src/standin/scenario.ts';

const PROMPTS = ['first', 'second'];

function request(kind: RequestKind, ...content: unknown[]): RecordedRequest {
  return { index: 0, path: '/v1/messages', kind, body: { messages: [{ role: 'user', content }] }, at: 0 };
}

const said = (text: string) => ({ type: 'text', text });
const inResult = (text: string) => ({ type: 'tool_result', tool_use_id: 't', content: text });

function seen(...requests: RecordedRequest[]): Sighting[] {
  return sightings(requests, PROMPTS);
}

it.each([
  { name: 'said once, repeated by the next request', requests: [['first'], ['first', 'second']], times: [1, 1] },
  { name: 'gone after a compaction', requests: [['first'], ['second']], times: [1, 1] },
  { name: 'never said', requests: [['first'], ['first']], times: [1, 0] },
  { name: 'said again later', requests: [['first'], ['second'], ['first', 'second']], times: [2, 1] },
  { name: 'said twice at once', requests: [['first', 'first']], times: [2, 0] },
])('counts arrivals: $name', ({ requests, times }) => {
  const record = seen(...requests.map((texts) => request('main', ...texts.map(said))));
  expect(PROMPTS.map((_, index) => arrivals(record, index))).toEqual(times);
});

it.each([
  { name: 'a reminder of its own', block: said('<system-reminder>first</system-reminder>'), count: 1 },
  {
    name: 'a reminder at the end of a tool result',
    block: inResult('ok\n<system-reminder>first</system-reminder>'),
    count: 1,
  },
  { name: 'nothing of it', block: inResult('ok'), count: 0 },
])('finds a prompt that was handed back: $name', ({ block, count }) => {
  const record = seen(request('main', said('first')), request('main', block));
  expect({ handedBack: handedBack(record, 0), arrivals: arrivals(record, 0) }).toEqual({
    handedBack: count,
    arrivals: 1,
  });
});

it.each([
  { name: 'a prompt that was answered', texts: ['first'], mixed: false },
  { name: 'a prompt that still waits', texts: ['first', 'second'], mixed: true },
])('looks into requests for summaries: $name', ({ texts, mixed }) => {
  const record = seen(request('main', said('first')), request('summary', ...texts.map(said)));
  expect(hasMixedIn(record)).toBe(mixed);
});

it('leaves side requests out', () => {
  expect(seen(request('other', said('first')), request('count', said('first')))).toEqual([]);
});
