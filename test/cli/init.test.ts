import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createPlace, ctxb, type Place } from './fakes.ts';

const read = (place: Place, name: string) => readFileSync(place.path(name), 'utf8');

it('the configuration is written once, with the schema that explains it', async () => {
  await using place = await createPlace();
  const first = await ctxb(place, ['init', '--preset', 'lean']);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout.toString()).toContain('.contextbudgetrc.json: written (lean)');
  const config = JSON.parse(read(place, '.contextbudgetrc.json'));
  expect(config).toMatchObject({
    $schema: './.context/contextbudgetrc.schema.json',
    thresholds: { compact: 'economic', handoff: 0.75 },
  });
  expect(JSON.parse(read(place, '.context/contextbudgetrc.schema.json'))).toHaveProperty('properties.thresholds');
  expect((await ctxb(place, ['config'])).stdout.toString()).toMatch(/thresholds\.compact +"economic" +user/);

  const second = await ctxb(place, ['init', '--preset', 'heavy']);
  expect(second.stdout.toString()).toMatch(/json: exists already; nothing was changed\n$/);
  expect(JSON.parse(read(place, '.contextbudgetrc.json'))).toEqual(config);
});

it('an unknown preset is refused with the names of the presets', async () => {
  await using place = await createPlace();
  const { code, stderr } = await ctxb(place, ['init', '--preset', 'big']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/lean, balanced, heavy/);
});
