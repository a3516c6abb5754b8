import { cut, firstSentences, withSpaces } from '../../text/words.ts';
import { unansweredPrompts, waiting } from '../prompts/mailbox.ts';
import { requestsIn, tellsTask } from '../prompts/prompt.ts';
import type { GovernorState } from '../state.ts';

/** Longest task or state in a focus, in code points. */
const TASK_LENGTH = 200;

/** Separator of the template's clauses. A clause whose placeholder has no value is left out. */
const CLAUSE_SEPARATOR = ' -- ';

/**
 * The content that a compaction should keep: the template with `{task}` and `{state}` filled in, and the path of the
 * notes. On one line, because the whole message after `/compact` is its argument. Empty if nothing is known.
 */
export function focusText(state: GovernorState): string {
  const { policy } = state.run;
  const values: Record<string, string | undefined> = {
    task: taskOf(state),
    state: flatten(state.session.state ?? policy.state),
  };
  const clauses = policy.compaction.focus
    .split(CLAUSE_SEPARATOR)
    .filter((clause) => [...clause.matchAll(PLACEHOLDER)].every(([, name = '']) => values[name]));
  const texts = clauses.map((clause) => clause.replace(PLACEHOLDER, (_, name: string) => values[name] ?? ''));
  return [...texts, notesClause(state)].filter((clause) => clause !== '').join(CLAUSE_SEPARATOR);
}

/** A clause with the path of the notes, which outlive the compaction; empty without notes. */
export function notesClause({ session }: GovernorState): string {
  const { notes } = session;
  return notes === undefined ? '' : `say that notes of the whole session are in ${notes}/scratch.md`;
}

const PLACEHOLDER = /\{(task|state)\}/g;

function flatten(text = ''): string | undefined {
  return cut(withSpaces(text).trim(), TASK_LENGTH) || undefined;
}

/**
 * The current task, in whole sentences on one line: the configured task, else the prompt that is running or interrupted, or
 * between turns the next one. A prompt like `Go on.` does not describe a task, so an earlier prompt counts then.
 */
export function taskOf(state: GovernorState): string | undefined {
  const { run, session } = state;
  if (run.policy.task !== undefined) return flatten(run.policy.task);
  const now = requestsIn([...unansweredPrompts(state), ...waiting(state).slice(0, 1)]).find(({ text }) =>
    tellsTask(text),
  );
  const text = now?.text ?? session.latestPrompt;
  return text === undefined ? undefined : flatten(firstSentences(text, TASK_LENGTH) || text);
}
