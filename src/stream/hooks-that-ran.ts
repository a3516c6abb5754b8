/** The line with which claude ends a `/compact` names the hooks that ran, each with what it said. */
const REPORT = /("content":"<local-command-stdout>Compacted )((?:Pre|Post)Compact \[.*?)(<\/local-command-stdout>")/;

/** Each hook begins a line, which is escaped here. */
const NEXT_HOOK = /\\n(?=(?:Pre|Post)Compact \[)/;

export const CALLBACK_MARK = 'Compact [callback]';

/**
 * Takes hooks of ctxb's out of such a line. They are asked behind all others, so of the callbacks of a name ours is the
 * last.
 *
 * @param own names of the hooks that ctxb has registered
 */
export function withoutOwnHooks(line: string, own: readonly string[]): string {
  return line.replace(REPORT, (_, before: string, hooks: string, after: string) => {
    const ran = hooks.split(NEXT_HOOK);
    const last = own.map((name) => ran.findLastIndex((hook) => hook.startsWith(`${name} [callback]`)));
    return before + ran.filter((_, index) => !last.includes(index)).join('\\n') + after;
  });
}
