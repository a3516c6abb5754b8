import { startChild } from '../session/child.ts';
import type { Stage } from './stage/stage.ts';

/** The version that a claude says it is; undefined: it says something else. */
export async function askVersion(claude: string, { scratch, patience }: Stage): Promise<string | undefined> {
  const child = await startChild({ command: claude, args: ['--version'], cwd: scratch.cwd, env: scratch.env });
  const stop = () => child.kill('SIGKILL');
  patience.addEventListener('abort', stop);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (said.length < 1_000) said += chunk;
  });
  child.stderr.resume();
  child.stdin.end();
  await child.ended;
  patience.removeEventListener('abort', stop);
  return /^(\d+\.\d+\.\d+\S*)/.exec(said)?.[1];
}
