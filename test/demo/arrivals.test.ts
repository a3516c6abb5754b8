import { expect, it } from 'vitest';
import { arrivals, type Sighting, sightings } from '../../src/demo/sightings.ts';
import type { RecordedRequest, RequestKind } from '../support/standin/scenario.ts';

const PROMPTS = ['first', 'second'];

function request(kind: RequestKind, ...content: unknown[]): RecordedRequest {
  return { index: 0, path: '/v1/messages', kind, body: { messages: [{ role: 'user', content }] }, at: 0 };
}

const said = (text: string) => ({ type: 'text', text });

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

it('ignores side requests', () => {
  expect(seen(request('other', said('first')), request('count', said('first')))).toEqual([]);
});
