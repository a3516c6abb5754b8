import { expect, it } from 'vitest';
import { createPlace, ctxb } from './fakes.ts';

it.each([[], ['bogus'], ['write']])('ctxb handoff %s ends with 2 without a run of this folder', async (...args) => {
  await using place = await createPlace();
  const run = await ctxb(place, ['handoff', ...args]);
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(
    args.length === 0 ? /^ctxb: no run is active in this folder/ : /^ctxb: run \w+ is not known/,
  );
});
