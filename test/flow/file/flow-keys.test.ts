import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { flowKeys } from '../../support/flow-keys.ts';

const PAGE = new URL('../../../docs/flows.md', import.meta.url);

it('docs/flows.md has the keys of the schema (npx vitest run --config test/vitest.config.ts flow-keys -u)', async () => {
  const page = readFileSync(PAGE, 'utf8').replace(/\| Of the file [\s\S]*?(?=\n## )/, () => flowKeys());
  expect(page).toContain(flowKeys());
  await expect(page).toMatchFileSnapshot('../../../docs/flows.md');
});
