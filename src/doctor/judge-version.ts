import { NEWEST_CLAUDE, OLDEST_CLAUDE } from '../claude/supported-versions.ts';
import type { Remark } from './remark.ts';

/** Versions that the protocol was measured with. */
const MEASURED: readonly string[] = [OLDEST_CLAUDE, NEWEST_CLAUDE];

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
