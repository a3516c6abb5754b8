import { collapseWhitespace, cutUnits } from '../../text/words.ts';

/** Maximum length of the reason in the request, in UTF-16 units. */
const REASON_LENGTH = 160;

/** The instruction below each heading. */
const CONTENTS = {
  Goal: "The request in the user's own words, with its limits.",
  Done: 'What is finished, and what proves it.',
  'In progress': 'What is half done, and its exact state.',
  'Next steps': 'Numbered; the first one can be started at once.',
  'Decisions and why': 'What was decided, why, and what was rejected.',
  'Dead ends': 'What does not work, and how you know.',
  Files: '- `path`: what is in it. Say (deleted) or (to create) if the file does not exist.',
  'Commands to verify': '- `command` — passed, — failed or — not run. One per item, exactly as typed.',
} as const;

export type HandoffSection = keyof typeof CONTENTS;

/** Headings of a handoff document, in order. */
export const HANDOFF_SECTIONS = Object.keys(CONTENTS) as readonly HandoffSection[];

/**
 * Asks the agent to answer with the handoff document. The agent writes no file, because a headless agent may not in the
 * permission modes `default` and `plan`.
 *
 * @param reason why the context ends, in a few words with figures
 */
export function handoffRequest({ reason }: { readonly reason: string }): string {
  const headings = Object.entries(CONTENTS).map(([section, content]) => `## ${section}\n${content}`);
  return [
    `${BEGIN}${collapseWhitespace(cutUnits(reason, REASON_LENGTH)).trim()}), and the work continues in a fresh one that knows only your answer, not this conversation.`,
    'Answer with the handoff document itself: call no tool, write no file, put nothing before or after it. Markdown with exactly these eight headings:',
    headings.join('\n'),
    `Where there is nothing, write None. Be exact: paths from the working folder, names, figures, error texts. ${END}`,
  ].join('\n\n');
}

const BEGIN = 'Your context ends here (';
const END = 'Call a command passed only if its last run passed.';

/** Whether a message is this request, and not a prompt from the user. */
export function isHandoffRequest(text: string): boolean {
  const all = text.trim();
  return all.startsWith(BEGIN) && all.endsWith(END);
}
