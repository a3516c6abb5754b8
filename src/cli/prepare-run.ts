import type { Config } from '../config/config.ts';
import { quickSettings } from '../config/quick-config.ts';
import type { Flags, SetValue } from '../config/resolve-config.ts';
import type { Io } from '../io.ts';
import { styleFor } from '../report/style.ts';
import { createTerminal, type Terminal } from '../report/terminal/terminal.ts';

/**
 * What a run goes by, and who tells about it on stderr.
 *
 * @throws CtxbError `config` naming everything that is wrong with the configuration
 */
export async function prepareRun(flags: Flags, io: Io): Promise<PreparedRun> {
  const { config, values, warnings } = await quickSettings({ cwd: io.cwd, env: io.env, flags });
  const terminal = await terminalOf(config, io);
  for (const { message } of warnings.file) terminal.notice(message);
  return { config, values, terminal };
}

export interface PreparedRun {
  readonly config: Config;
  /** What makes it. */
  readonly values: readonly SetValue[];
  readonly terminal: Terminal;
}

export async function terminalOf({ quiet, statusLine, observe }: Config, { stderr, env }: Io): Promise<Terminal> {
  const style = await styleFor(stderr, env);
  return createTerminal({ stderr, style, quiet, statusLine, observe });
}
