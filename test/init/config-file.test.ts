import { expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { resolveFile } from '../../src/config/resolve-config.ts';
import { PRESETS } from '../../src/init/config-file.ts';

it.each(Object.entries(PRESETS))('the preset %s is a valid configuration', (_, content) => {
  expect(resolveFile({ path: 'preset', content }).findings).toEqual([]);
});

it('the balanced preset repeats the defaults', () => {
  const { config } = resolveFile({ path: 'preset', content: PRESETS.balanced });
  expect({ ...config, flow: DEFAULTS.flow }).toEqual(DEFAULTS);
});
