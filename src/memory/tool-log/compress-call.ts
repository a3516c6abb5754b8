import type { CommandFacts } from '../entry.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { LONG_LINE_LENGTH, oneLine } from '../words.ts';
import { quoteWith, shortenedLine } from './quote.ts';
import { tellAgent, tellTaskOutput } from './tell-agent.ts';
import { tellCommand } from './tell-command.ts';
import { tellEdit } from './tell-edit.ts';
import { tellFailure, tellOther } from './tell-other.ts';
import { tellRead } from './tell-read.ts';
import { tellSearch } from './tell-search.ts';
import { tellFetch, tellWebSearch } from './tell-web.ts';

/** What is needed besides the call. */
export interface Compressing {
  /** Of the command that it ran. */
  readonly command: CommandFacts | undefined;
  /** A path as it is named in the notes. */
  readonly placeOf: (path: string) => string;
  readonly mask: (text: string) => string;
}

/**
 * A call and what came of it on one line, at most 500 code points, by the kind of its tool: counts, names and the line
 * that says most. What tools said stands between backticks.
 */
export function compressCall(ended: EndedCall, { command, placeOf, mask }: Compressing): string {
  const quote = quoteWith(mask);
  const line = command === undefined ? tell() : tellCommand(ended, command, quote);
  return shortenedLine(oneLine(line, 4 * LONG_LINE_LENGTH), LONG_LINE_LENGTH);

  function tell(): string {
    if (ended.outcome !== 'ok') return tellFailure(ended, quote);
    switch (ended.call.use.name) {
      case 'Read':
        return tellRead(ended, placeOf, quote);
      case 'Write':
      case 'Edit':
      case 'MultiEdit':
      case 'NotebookEdit':
        return tellEdit(ended, placeOf, quote);
      case 'Grep':
      case 'Glob':
        return tellSearch(ended, placeOf, quote);
      case 'Task':
      case 'Agent':
        return tellAgent(ended, quote);
      case 'TaskOutput':
        return tellTaskOutput(ended, quote);
      case 'WebFetch':
        return tellFetch(ended, quote);
      case 'WebSearch':
        return tellWebSearch(ended, quote);
      default:
        return tellOther(ended, quote);
    }
  }
}
