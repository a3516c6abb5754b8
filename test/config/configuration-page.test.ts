import { expect, it } from 'vitest';
import { configurationPage } from '../support/configuration-page.ts';

it('docs/configuration.md matches the schema (npx vitest run --config test/vitest.config.ts configuration-page -u)', async () => {
  await expect(configurationPage()).toMatchFileSnapshot('../../docs/configuration.md');
});
