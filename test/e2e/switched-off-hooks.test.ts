import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { caller, resultsIn } from '../support/results.ts';
import { inSoak } from '../support/size.ts';
import { bash, configure } from '../support/tool-agents.ts';

/** What `ctxb doctor` says of each of these holds: it names what is gone, and no more. */
const SWITCHES = [
  { name: 'nothing', hooks: true, ofRun: true },
  { name: 'disableAllHooks', settings: { disableAllHooks: true }, hooks: false, ofRun: true },
  { name: 'allowManagedHooksOnly of the user', settings: { allowManagedHooksOnly: true }, hooks: true, ofRun: true },
  {
    name: 'allowManagedHooksOnly of an organisation',
    claude: ['--managed-settings', '{"allowManagedHooksOnly":true}'],
    hooks: false,
    ofRun: true,
  },
  { name: 'CLAUDE_CODE_SIMPLE', env: { CLAUDE_CODE_SIMPLE: '1' }, hooks: false, ofRun: false },
];

async function startCounting(settings: object | undefined): Promise<World & AsyncDisposable> {
  const world = await startWorld(caller([bash('seq 1 5000')], 100_000));
  configure(world, { window: 200_000, tools: { perCall: 2_000 } });
  const folder = world.scratch.env.CLAUDE_CONFIG_DIR ?? '';
  mkdirSync(folder, { recursive: true });
  const hooks = { Stop: [{ hooks: [{ type: 'command', command: `touch '${calledIn(world)}'` }] }] };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ hooks, ...settings }));
  return world;
}

/** Where a hook of the user's settings leaves that it was called. */
const calledIn = ({ scratch: { home } }: World) => join(home, 'called');

/** Whether a hook has cut what the model was given. */
function isCut({ standin }: World): boolean {
  const [result] = resultsIn(mainRequests(standin).at(-1));
  return result?.text.startsWith('[ctxb cut this result') ?? expect.fail('no result was given');
}

describe.each(SWITCHES)('$name', ({ settings, claude = [], env = {}, hooks, ofRun }) => {
  inSoak(`claude ${hooks ? 'calls' : 'does not call'} the hooks of its settings`, async () => {
    await using world = await startCounting(settings);
    const args = [...SMALL_WINDOW, '-p', 'Count.', ...claude];
    await runProgram(world.claude, args, { env: { ...world.scratch.env, ...env }, cwd: world.scratch.cwd });
    expect(existsSync(calledIn(world))).toBe(hooks);
  });

  inSoak(`claude ${ofRun ? 'calls' : 'does not call'} those of ctxb run`, async () => {
    await using world = await startCounting(settings);
    await runCtxb(world, { flags: prompts('Count.'), claude: [...SMALL_WINDOW, ...claude], env });
    expect(isCut(world)).toBe(ofRun);
  });
});
