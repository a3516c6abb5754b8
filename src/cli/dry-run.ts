import { type ConfigSources, resolveConfig } from '../config/resolve-config.ts';
import type { Io } from '../io.ts';
import { printable, shellLine } from '../report/printable.ts';
import type { HeadlessRun } from '../run/headless-run.ts';
import { planStart } from '../run/run-headless.ts';
import { redact } from '../store/masks/redact.ts';
import { settingsText } from './config.ts';

export async function printPlan(
  headless: HeadlessRun,
  settings: Pick<ConfigSources, 'flags' | 'file'>,
  io: Io,
): Promise<number> {
  const { command, args, env } = await planStart(headless, io);
  const added = Object.entries(env).filter(([name, value]) => value !== undefined && io.env[name] !== value);
  const resolved = await resolveConfig({ cwd: io.cwd, env: io.env, ...settings });
  const parts = [
    `Command, with the prompts on stdin:\n${shellLine([command, ...args])}`,
    `Variables that ctxb adds:\n${added.map(([name, value]) => `${name}=${value}`).join('\n')}`,
    `Settings:\n${settingsText(resolved, io.stdout.columns)}`,
  ];
  io.stdout.write(printable(redact(parts.join('\n\n'), { keepLines: true })));
  return 0;
}
