import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runPicture } from '../support/run-picture.ts';

it('docs/run.svg is drawn from the recorded demo: npx vitest run --config test/vitest.config.ts run-picture -u', async () => {
  const { record } = JSON.parse(readFileSync(new URL('../../fixtures/demo/recording.json', import.meta.url), 'utf8'));
  await expect(runPicture(record)).toMatchFileSnapshot('../../docs/run.svg');
});
