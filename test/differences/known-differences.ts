/** A difference that stays, and why. */
export interface KnownDifference {
  /** As the page says it. */
  readonly what: string;
  /** The differences it stands for, as {@link differencesOf} says them. */
  readonly matches: RegExp;
  readonly why: string;
}

const CALLBACKS = "claude tells the model which hooks ran around a compaction. Two of them keep ctxb's notes";

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    what: 'request: in the descriptions of Bash and Monitor, a background command may run 1,800,000 ms instead of 600,000',
    matches: /tools\[(?:Bash|Monitor)\]\..*(?:1800000|30 minutes)/,
    why: 'claude has the lower limit if its input is no stream, and no option for it; ctxb needs the stream',
  },
  {
    what: 'stdout: after `/compact`, `post_tokens` is larger and `cumulative_dropped_tokens` smaller by about 60',
    matches: /compact_metadata\.(?:post_tokens|cumulative_dropped_tokens): \d+ instead of \d+$/,
    why: CALLBACKS,
  },
  {
    what: 'request: after `/compact`, the conversation names `PreCompact [callback]` and `PostCompact [callback]`, and the place of the notes',
    matches: /^request\.main\[\]\.messages.*(?:\[callback\]|Notes of this session)/,
    why: CALLBACKS,
  },
  {
    what: 'request: ctxb asks for the place of the notes in the summary',
    matches: /^request\.summary\[\]\.messages.*dditional Instructions/,
    why: 'the notes have what a summary leaves out. `--no-memory` switches them off',
  },
  {
    what: 'stderr: some warnings are missing. They concern an unknown model or tool, an incomplete rule, settings that do not load, and a missing agent of a resumed session',
    matches:
      /^stderr: .* instead of ".*(?:recognize the model|no known tool|did not load|which is no longer available)/,
    why: 'claude prints them only if its output is text or its input is no stream',
  },
  {
    what: 'after Ctrl-C: ended by SIGINT, instead of exit code 0',
    matches: /^exit: "SIGINT" instead of 0$/,
    why: 'a script must not mistake interrupted work for complete work',
  },
  {
    what: 'stdout: after Ctrl-C, the result of the tool also says that it may have run in part',
    matches: /tool_result\]\.content: .*Correction to the text above/,
    why: 'claude adds this if ctxb interrupts it through its input, and not after a signal',
  },
];

export function knownDifference(difference: string): KnownDifference | undefined {
  return KNOWN_DIFFERENCES.find(({ matches }) => matches.test(difference));
}
