import { expect, it } from 'vitest';
import { doctorPage } from '../support/doctor-page.ts';

it('docs/doctor.md matches the facts (npx vitest run --config test/vitest.config.ts doctor-page -u)', async () => {
  await expect(doctorPage()).toMatchFileSnapshot('../../docs/doctor.md');
});
