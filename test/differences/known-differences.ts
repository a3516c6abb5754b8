/** A difference that stays, and why. */
export interface KnownDifference {
  /** As the page says it. */
  readonly what: string;
  /** The differences it stands for, as {@link differencesOf} says them. */
  readonly matches: RegExp;
  readonly why: string;
}

const CALLBACKS =
  'claude tells the model of every hook that ran around a compaction, here of the two with which ctxb keeps notes';

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    what: 'request: in the descriptions of Bash and Monitor, a background command may run 1,800,000 ms instead of 600,000',
    matches: /tools\[(?:Bash|Monitor)\]\..*(?:1800000|30 minutes)/,
    why: 'claude has the lower limit where its input is no stream, and no option for it; ctxb needs the stream',
  },
  {
    what: 'stdout: after `/compact`, `post_tokens` is larger and `cumulative_dropped_tokens` smaller by about 60',
    matches: /compact_metadata\.(?:post_tokens|cumulative_dropped_tokens): \d+ instead of \d+$/,
    why: CALLBACKS,
  },
  {
    what: 'request: after `/compact`, the conversation names `PreCompact [callback]` and `PostCompact [callback]`, and where the notes are',
    matches: /^request\.main\[\]\.messages.*(?:\[callback\]|Notes of this session)/,
    why: CALLBACKS,
  },
  {
    what: 'request: the summary is asked to name the notes',
    matches: /^request\.summary\[\]\.messages.*dditional Instructions/,
    why: 'what a summary leaves out is in the notes. `--no-memory` keeps none',
  },
  {
    what: 'stderr: warnings are missing: of a model or a tool that claude does not know, of half a rule, of settings that do not load, of an agent that a resumed session had',
    matches:
      /^stderr: .* instead of ".*(?:recognize the model|no known tool|did not load|which is no longer available)/,
    why: 'claude gives them only where its output is text or its input is no stream',
  },
  {
    what: 'after Ctrl-C: ended by SIGINT, instead of exit code 0',
    matches: /^exit: "SIGINT" instead of 0$/,
    why: 'a script must not take work that was broken off for done',
  },
  {
    what: 'stdout: after Ctrl-C, the result of the tool says also that it may have run in part',
    matches: /tool_result\]\.content: .*Correction to the text above/,
    why: 'claude adds this where it is interrupted through its input, as ctxb does it, and not where a signal comes',
  },
];

export function knownDifference(difference: string): KnownDifference | undefined {
  return KNOWN_DIFFERENCES.find(({ matches }) => matches.test(difference));
}
