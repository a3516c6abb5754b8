import type { Config } from '../config/config.ts';
import { effectiveConfig } from '../config/effective-config.ts';
import type { Flags } from '../config/resolve-config.ts';
import type { Io } from '../io.ts';
import { styleFor } from '../report/style.ts';
import { createTerminal, type Terminal } from '../report/terminal.ts';

/**
 * What a run goes by, and who tells about it on stderr.
 *
 * @throws CtxbError `config` naming everything that is wrong with the configuration
 */
export async function prepareRun(flags: Flags, io: Io): Promise<{ config: Config; terminal: Terminal }> {
  const config = await effectiveConfig({ cwd: io.cwd, env: io.env, flags });
  const { quiet, statusLine, observe } = config;
  const style = await styleFor(io.stderr, io.env);
  return { config, terminal: createTerminal({ stderr: io.stderr, style, quiet, statusLine, observe }) };
}
