import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/claude.ts';
import { placeMod } from '../support/exact.ts';
import { claudePlugin, PLUGIN } from '../support/plugin.ts';
import { inSoak } from '../support/size.ts';

interface Validated {
  readonly success: boolean;
  readonly contents: readonly { readonly modules: readonly { readonly uses: object }[] }[];
}

const NOTHING = { reads: [], writes: [] };

/** A plugin, a copy of it, its tests, and what claude sees that it uses. */
const PLUGINS = [
  {
    name: 'that a run gives to claude',
    copy: ({ scratch: { home } }: World) => placeMod(home),
    tests: 'fixtures/mod/register.test.ts',
    uses: {
      events: ['session.start', 'prompt.submit', 'session.compact'],
      calls: ['fs.read', 'fs.write', 'session.model', 'session.usage'],
      env: NOTHING,
    },
  },
  {
    name: 'for people at the terminal',
    copy({ scratch: { home } }: World) {
      const place = mkdtempSync(join(home, 'plugin-'));
      cpSync(PLUGIN, place, { recursive: true });
      return place;
    },
    tests: 'fixtures/plugin/register.test.ts',
    uses: {
      events: [
        ...['classic.SessionStart', 'session.start', 'prompt.submit', 'turn.start', 'turn.complete', 'session.measure'],
        ...['session.compact', 'classic.PostCompact', 'command.run', 'ui.render'],
      ],
      calls: [
        ...['clock.now', 'clock.sleep', 'env.get', 'fs.exists', 'fs.read', 'fs.stat', 'fs.write', 'process.run'],
        ...['session.compact', 'session.info', 'session.model', 'session.usage', 'settings.read'],
        ...['ui.invalidate', 'ui.log', 'ui.resolve'],
      ],
      env: { reads: ['CTXB_RUN'], writes: [] },
    },
  },
];

describe.each(PLUGINS)('the plugin $name', ({ copy, tests, uses }) => {
  it("passes claude's strict validation, and uses only the listed parts of the API", async () => {
    await using world = await startWorld({ calls: [] });
    const { code, out } = await claudePlugin(world, 'validate', copy(world), '--strict', '--json');
    const { success, contents } = JSON.parse(out) as Validated;
    expect({ code, success }).toEqual({ code: 0, success: true });
    const all = contents.flatMap(({ modules }) => modules.map((module) => module.uses));
    expect(all).toEqual([{ ...uses, state: NOTHING, hosts: { named: [], unread: [] } }]);
  });

  inSoak('passes its own tests', { timeout: 120_000 }, async () => {
    await using world = await startWorld({ calls: [] });
    const place = copy(world);
    mkdirSync(join(place, 'tests'));
    cpSync(tests, join(place, 'tests/register.test.ts'));
    const { code, said } = await claudePlugin(world, 'test', place);
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('\n 0 fail\n') });
  });
});
