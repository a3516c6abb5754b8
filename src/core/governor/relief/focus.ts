import { collapseWhitespace, cut, firstSentences } from '../../text/words.ts';
import { unansweredPrompts, waiting } from '../prompts/mailbox.ts';
import { describesTask, requestsIn } from '../prompts/prompt.ts';
import type { GovernorState } from '../state.ts';

/** Maximum length of the task or the state in a focus, in code points. */
const TASK_LENGTH = 200;

/** Separates the clauses of the template. A clause is left out if its placeholder has no value. */
const CLAUSE_SEPARATOR = ' -- ';

/**
 * The argument of `/compact`: what the summary should keep. The template with `{task}` and `{state}` filled in, and the
 * path of the notes, on one line. Empty if nothing is known.
 */
export function focusText(state: GovernorState): string {
  const { policy } = state.run;
  const values: Record<string, string | undefined> = {
    task: taskOf(state),
    state: onOneLine(state.session.state ?? policy.state),
  };
  const clauses = policy.compaction.focus
    .split(CLAUSE_SEPARATOR)
    .filter((clause) => [...clause.matchAll(PLACEHOLDER)].every(([, name = '']) => values[name]));
  const texts = clauses.map((clause) => clause.replace(PLACEHOLDER, (_, name: string) => values[name] ?? ''));
  return [...texts, notesClause(state)].filter((clause) => clause !== '').join(CLAUSE_SEPARATOR);
}

/** Names the path of the notes, which a compaction does not change; empty without notes. */
export function notesClause({ session }: GovernorState): string {
  const { notes } = session;
  return notes === undefined ? '' : `say that notes of the whole session are in ${notes}/scratch.md`;
}

const PLACEHOLDER = /\{(task|state)\}/g;

function onOneLine(text = ''): string | undefined {
  return cut(collapseWhitespace(text).trim(), TASK_LENGTH) || undefined;
}

/**
 * The current task, in whole sentences on one line: the configured task, or the running or next prompt. A prompt like
 * `Go on.` describes no task, so an earlier prompt replaces it.
 */
export function taskOf(state: GovernorState): string | undefined {
  const { run, session } = state;
  if (run.policy.task !== undefined) return onOneLine(run.policy.task);
  const now = requestsIn([...unansweredPrompts(state), ...waiting(state).slice(0, 1)]).find(({ text }) =>
    describesTask(text),
  );
  const text = now?.text ?? session.latestPrompt;
  return text === undefined ? undefined : onOneLine(firstSentences(text, TASK_LENGTH) || text);
}
