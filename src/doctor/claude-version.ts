import { NEWEST_CLAUDE, OLDEST_CLAUDE } from '../claude/supported-versions.ts';
import { startChild } from '../session/claude/child.ts';
import type { Remark } from './remark.ts';
import type { Stage } from './stage/stage.ts';

/** Versions that the protocol was measured with. */
const MEASURED: readonly string[] = [OLDEST_CLAUDE, NEWEST_CLAUDE];

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

/** What is known of a version before anything is tried with it. */
export function judgeVersion(version: string | undefined): Remark {
  const subject = 'version';
  if (version === undefined) {
    const todo = 'see whether it is Claude Code, and whether it starts';
    return { status: 'warning', subject, text: 'it does not tell its version', todo };
  }
  if (Number.parseInt(version, 10) < 2) {
    const text = `${version} does not move its trigger, tell its window, or take changed tools: ctxb does without them`;
    return { status: 'warning', subject, text, todo: 'npm install -g @anthropic-ai/claude-code' };
  }
  if (MEASURED.includes(version)) return { status: 'good', subject, text: `${version}, which ctxb was measured with` };
  const text = `${version} is none of those that ctxb was measured with (${MEASURED.join(', ')}): the facts tell`;
  return { status: 'good', subject, text };
}
