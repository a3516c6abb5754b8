import { createHash } from 'node:crypto';
import type { Job } from './job.ts';
import { isSeenToFail } from './model.ts';

/**
 * What summaries of Claude Code keep of what stood in the context: measured on 43 compactions of public sessions.
 * What a user has asked for counts as a decision, what does not work as a command.
 */
export const KEPT = { decision: 0.77, path: 0.1, number: 0.02, command: 0.002 } as const;

/** What is asked for by its heading is kept as decisions are. */
const ASKED_FOR: Readonly<Record<keyof typeof KEPT, number>> = { ...KEPT, command: KEPT.decision };

/** The lines of a summary of all that stands in sight; which ones is drawn from the seed. */
function keptLines(job: Job, sight: string, draw: string, shares: Readonly<Record<keyof typeof KEPT, number>>) {
  const isKept = (id: string, share: number) => drawn(`${job.seed} ${draw} ${id}`) < share;
  const rules = job.constraints.filter(({ id, text }) => sight.includes(text) && isKept(id, shares.decision));
  const dead = job.deadEnds.filter(({ id, command }) => isSeenToFail(sight, command) && isKept(id, shares.command));
  const facts = job.facts.filter(({ id, sign }) => sight.includes(sign) && isKept(id, shares.number));
  const done = job.tasks.flatMap(({ steps }) => steps.flatMap((step) => (step.kind === 'answer' ? [step.text] : [])));
  const decisions = done.filter((text) => sight.includes(text) && isKept(text, shares.decision));
  const files = job.files.filter(({ path }) => sight.includes(path) && isKept(path, shares.path));
  return {
    rules: rules.map(({ text }) => text),
    dead: dead.map(({ command }) => `${command} fails with an error`),
    facts: facts.map(({ file, sign }) => `${file}: ${sign}`),
    decisions,
    files: files.map(({ path }) => path),
  };
}

/**
 * The summary that claude is answered when it compacts.
 *
 * @param number of this summary in the run, from 1
 */
export function summaryOf(job: Job, sight: string, number: number): string {
  const { rules, dead, facts, decisions, files } = keptLines(job, sight, `summary ${number}`, KEPT);
  const parts = [
    ['1. Primary request', ['Give each limit its real value, task after task.', ...rules]],
    ['2. Decisions', decisions],
    ['3. Files', files],
    ['4. Errors', dead],
    ['5. Figures', facts],
    ['6. Current work', ['The task under way goes on where it stands.']],
  ] as const;
  const text = parts
    .map(([heading, lines]) => `${heading}\n${lines.map((line) => `- ${line}`).join('\n')}`)
    .join('\n\n');
  return `<summary>\n${text}\n\n${fillerFor(text)}\n</summary>`;
}

/** Public summaries have 2,250 tokens in the median, most of which are none of what is looked for here. */
const SUMMARY_CHARS = 9_000;
const FILLER =
  'The limits were looked at one after the other, as the user had asked for, and the work went on from there.\n';

function fillerFor(text: string): string {
  return FILLER.repeat(Math.max(0, Math.floor((SUMMARY_CHARS - text.length) / FILLER.length)));
}

/** The document that is answered where the agent is asked for one: under each heading what belongs there. */
export function handoffOf(job: Job, sight: string, number: number): string {
  const { rules, dead, facts, decisions, files } = keptLines(job, sight, `handoff ${number}`, ASKED_FOR);
  const sections = [
    ['Goal', ['Give each limit its real value, task after task.', ...rules]],
    ['Done', decisions],
    ['In progress', ['The task under way goes on where it stands.']],
    ['Next steps', ['1. Go on with the task under way.']],
    ['Decisions and why', facts],
    ['Dead ends', dead],
    ['Files', files.map((path) => `\`${path}\`: read`)],
    ['Commands to verify', ['`bin/check` — not run']],
  ] as const;
  return sections
    .map(
      ([heading, lines]) =>
        `## ${heading}\n${lines.length === 0 ? 'None' : lines.map((line) => `- ${line}`).join('\n')}`,
    )
    .join('\n\n');
}

/** A number from 0 up to 1 that belongs to a text. */
function drawn(text: string): number {
  return createHash('sha1').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
