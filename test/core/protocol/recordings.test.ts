import { expect, it } from 'vitest';
import type { Event } from '../../../src/core/protocol/events.ts';
import { eventsOf, FIXTURE_RECORDINGS, SHARED_RECORDINGS, TRANSCRIPTS } from '../../support/recordings.ts';

const notUnderstood = (event: Event) =>
  event.kind === 'unknown' ? [event.name] : event.kind === 'malformed' && !event.isBlank ? ['malformed'] : [];

it.each([...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS])('every line of $name has a known type', ({ path }) => {
  const events = eventsOf(path);
  expect(events.length).toBeGreaterThan(0);
  expect(events.flatMap(notUnderstood)).toEqual([]);
});

it('decodes public sessions without a malformed line', () => {
  const malformed = TRANSCRIPTS.filter(({ path }) => eventsOf(path).some(({ kind }) => kind === 'malformed'));
  expect(malformed).toEqual([]);
});
