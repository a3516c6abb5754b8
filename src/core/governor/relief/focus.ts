import { inTurn, waiting } from '../prompts/mailbox.ts';
import { requestsIn, tellsTask } from '../prompts/prompt.ts';
import { firstSentences } from '../prompts/sentences.ts';
import type { GovernorState } from '../state.ts';

/** Code points that stand for the task. */
const TASK_LENGTH = 200;

/** Clauses of the template are separated by this; a clause whose placeholder has no value is left out. */
const CLAUSE = ' -- ';

/**
 * What a compaction is to keep: the template with `{task}` and `{state}` filled in, on one line, because the whole
 * message after `/compact` is its argument. Notes that outlive it are named in it. Empty when nothing is known.
 */
export function focusText(state: GovernorState): string {
  const { policy } = state.run;
  const values: Record<string, string | undefined> = {
    task: taskOf(state),
    state: flatten(state.session.state ?? policy.state),
  };
  const clauses = policy.compaction.focus
    .split(CLAUSE)
    .filter((clause) => [...clause.matchAll(PLACEHOLDER)].every(([, name = '']) => values[name]));
  const filled = clauses.map((clause) => clause.replace(PLACEHOLDER, (_, name: string) => values[name] ?? ''));
  return [...filled, notesClause(state)].filter((clause) => clause !== '').join(CLAUSE);
}

/** Names the notes that outlive the compaction; empty without notes. */
export function notesClause({ session }: GovernorState): string {
  const { notes } = session;
  return notes === undefined ? '' : `say that notes of the whole session are in ${notes}/scratch.md`;
}

/** Tells the agent, behind a relief, how it finds what the relief took away; empty where it can't. */
export function recallLine({ run }: GovernorState): string {
  return run.recall === undefined
    ? ''
    : `${run.recall} finds what was run, read, said or failed and is not here any more.`;
}

const PLACEHOLDER = /\{(task|state)\}/g;

function flatten(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : [...line].slice(0, TASK_LENGTH).join('');
}

/**
 * What is worked on now, in whole sentences on one line: what the user has named, else the running prompt, between turns
 * the next one. `Go on.` says nothing of its own: then what was asked for before.
 */
export function taskOf(state: GovernorState): string | undefined {
  const { run, session } = state;
  if (run.policy.task !== undefined) return flatten(run.policy.task);
  const now = requestsIn([...inTurn(state), ...waiting(state).slice(0, 1)]).find(({ text }) => tellsTask(text));
  const text = now?.text ?? session.latestPrompt;
  return text === undefined ? undefined : flatten(firstSentences(text, TASK_LENGTH) || text);
}
