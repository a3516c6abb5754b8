import { expect, it } from 'vitest';
import { configurationPage } from '../support/configuration-page.ts';

it('docs/configuration.md is what the schema says (npx vitest run --config test/vitest.config.ts configuration-page -u)', async () => {
  await expect(configurationPage()).toMatchFileSnapshot('../../docs/configuration.md');
});
