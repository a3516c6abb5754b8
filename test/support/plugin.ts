import { fileURLToPath } from 'node:url';
import { runProgram, type World } from './claude.ts';

/** The repository, which is the marketplace of its plugin. */
const MARKETPLACE = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

export const PLUGIN = `${MARKETPLACE}/plugin`;

/** `claude plugin` with these words; what it said, and its exit code. */
export async function claudePlugin({ claude, scratch: { env, cwd } }: World, ...words: readonly string[]) {
  const { code, stdout, stderr } = await runProgram(claude, ['plugin', ...words], { env, cwd });
  return { code, out: stdout.toString(), said: `${stdout}${stderr}` };
}

/** Installs the plugin from the repository, as a person would. */
export async function installPlugin(world: World): Promise<void> {
  for (const words of [
    ['marketplace', 'add', MARKETPLACE],
    ['install', 'ctxb@ctxb'],
  ]) {
    const { code, said } = await claudePlugin(world, ...words);
    if (code !== 0) throw new Error(said);
  }
}
