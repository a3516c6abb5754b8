import { userTexts } from './conversation.ts';
import type { Call, RecordedRequest, Scenario } from './standin/scenario.ts';

/** Words of the request for a handoff document. */
export const ASKED = 'Answer with the handoff document itself';

/** A document with all sections that names no file and no command. */
export const DOCUMENT = [
  ['Goal', 'Build the thing that was asked for.'],
  ['Done', 'The first half: four steps.'],
  ['In progress', 'None'],
  ['Next steps', '1. Do the second half.'],
  ['Decisions and why', 'Small steps, because large ones failed.'],
  ['Dead ends', 'The shortcut by way of echo.'],
  ['Files', 'None'],
  ['Commands to verify', 'None'],
]
  .map(([heading, text]) => `## ${heading}\n${text}`)
  .join('\n\n');

export interface GrowingConversation {
  /** Calls of each turn: all but the last of them use a tool. */
  readonly turns: readonly number[];
  readonly growBy: number;
  /** Context of the first call of any conversation. */
  readonly from?: number;
  /** Answers to the requests for a document, in order; the last one also to further requests. */
  readonly documents?: readonly Call[];
  readonly summary?: Scenario['summary'];
  /** Context after a compaction. */
  readonly landing?: number;
}

/**
 * Like a real one, whose context grows with every call and is small again in a fresh conversation or after a
 * compaction. A request for a handoff document is answered with one.
 */
export function growing({
  turns,
  growBy,
  from = 30_000,
  documents = [{ text: DOCUMENT }],
  summary,
  landing = from,
}: GrowingConversation): Scenario {
  const script = turns.flatMap((calls, turn) =>
    Array.from(
      { length: calls },
      (_, call): Call =>
        call + 1 < calls
          ? {
              tools: [
                { name: 'Bash', input: { command: `touch turn-${turn + 1}-step-${call + 1}`, description: 'A step' } },
              ],
            }
          : { text: `answer ${turn + 1}` },
    ),
  );
  let context = from - growBy;
  let said = 0;
  let asked = 0;
  return {
    calls: (request) => {
      if (isBriefed(request)) return { text: 'OK', context: from };
      if (isAsked(request)) return { ...(documents[Math.min(asked++, documents.length - 1)] ?? {}), context };
      context = isFresh(request) ? from : context + growBy;
      return { ...(script[said++] ?? { text: 'Nothing more to say.' }), context };
    },
    summary: (request, index) => {
      const answer = typeof summary === 'function' ? summary(request, index) : summary;
      if (answer?.error === undefined && !answer?.reset) context = landing - growBy;
      return answer ?? { text: '<summary>What was done so far.</summary>' };
    },
  };
}

export function isAsked(request: RecordedRequest): boolean {
  const texts = userTexts(request);
  const asked = texts.findLastIndex((text) => text.includes(ASKED));
  // Behind an empty answer claude asks once more in its own words.
  return asked > texts.findLastIndex((text) => text.startsWith('prompt '));
}

/** The document is said, and nothing is to be done yet. */
function isBriefed(request: RecordedRequest): boolean {
  return (userTexts(request).at(-1) ?? '').endsWith('Answer only: OK');
}

/** Whether the conversation has no answer yet. */
function isFresh({ body }: RecordedRequest): boolean {
  return !(body.messages ?? []).some(({ role }) => role === 'assistant');
}
