import { summarizeCall } from '../memory/call-summary/summarize-call.ts';
import { commandFacts } from '../memory/entries/command-facts.ts';
import { type EndedCall, readOutcome } from '../memory/extract/tool-calls.ts';
import { oneLine, shortened } from '../memory/words.ts';
import { resultBlock, useBlock } from './message.ts';
import { saidLine } from './own-words.ts';
import { GONE, type Round } from './parts.ts';

/** Code points of a line: enough for a command and what it said in the end. */
const LINE_LENGTH = 320;
const SAID_LENGTH = 160;

/** What an older reply comes to: its words, and each of its calls with the outcome. */
export function stepLines({ words, calls }: Round): string[] {
  const said = words === '' ? [] : [saidLine(shortened(oneLine(words, 4 * SAID_LENGTH), SAID_LENGTH))];
  return [...said, ...calls.map(callLine)];
}

function callLine({ use, result }: Round['calls'][number]): string {
  const came = result?.text === GONE ? { ...result, text: '' } : result;
  const block = resultBlock(came ?? { tool_use_id: use.tool_use_id, text: 'no result', isError: true });
  const call = { use: useBlock(use), agent: null, t: undefined, cwd: undefined, root: undefined };
  // What the tool reported beside the text has lost its bulk here, and would be taken for an empty result.
  const ended: EndedCall = {
    ...{ kind: 'call', call, result: block, report: undefined, t: undefined },
    ...readOutcome(use.tool, block, undefined),
  };
  const line = summarizeCall(ended, { command: commandFacts(ended), placeOf: (path) => path, mask: whole });
  return shortened(line, LINE_LENGTH);
}

/** It goes to the model alone, which has seen it. */
function whole(text: string | readonly string[]): string {
  return typeof text === 'string' ? text : text.join('');
}
