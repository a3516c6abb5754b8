import { collapseWhitespace } from '../../text/words.ts';

/** UTF-16 units; longer commands never count as read-only, because their effect is unclear. */
const HEAD = 400;

const READER =
  /^\s*(?:ls|cat|bat|head|tail|grep|e?grep|fgrep|rg|ag|find(?![^|;&]*-(?:delete|exec))|fd|wc|pwd|cd|echo|printf|which|type|command -v|file|stat|du|df|tree|sort|uniq|cut|tr|jq|yq|diff|cmp|date|env|printenv|whoami|uname|hostname|ps|pgrep|lsof|true|sed\s+-n|awk|xxd|od|basename|dirname|realpath|readlink|test|\[|git\s+(?:-C\s+\S+\s+)?(?:status|diff|log|show|blame|rev-parse|rev-list|ls-files|ls-tree|ls-remote|cat-file|grep|describe|merge-base|shortlog|reflog|branch(?=\s*(?:$|-[avr]|--(?:list|show)))|remote(?=\s*(?:$|-v|show))|config\s+--get)|gh\s+\w+\s+(?:view|list|status|checks|diff))(?=\s|$)/;

/** Redirects to a file or uses `tee`; redirects between streams do not count. */
const FILE_REDIRECT = /(?<![0-9&<=-])>{1,2}(?!\s*(?:&|\/dev\/null))|\btee\b/;

export function isReadOnly(command: string): boolean {
  if (command.length > HEAD || !READER.test(command)) return false;
  if (FILE_REDIRECT.test(command)) return false;
  return command.split(/&&|\|\||[;|\n]/).every((part) => part.trim() === '' || READER.test(part));
}

/** UTF-16 units of a command that are compared. */
const COMPARED_LENGTH = 2_000;

export interface ComparedCommand {
  /** Without leading folders, variables and wrappers, and without redirections and viewers at the end. */
  readonly text: string;
  /** The output was piped to another program, whose exit status replaced the command's own. */
  readonly isPiped: boolean;
}

/** Prefixes that only set where and how a command runs. */
const COMMAND_PREFIX =
  /^(?:\s*cd\s+(?:"[^"]*"|'[^']*'|[^\s;&|]+)\s*?(?:&&|[;\n])|\s*[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*)\s|\s*(?:sudo|command|builtin|nohup|env|time|timeout\s+\S+)\s)+/;

/** An output redirection or a viewer such as `tail` at the end of a line. */
const OUTPUT_REDIRECTION =
  / ?(?:[&\d]?>{1,2} ?(?:&\d|[^\s;&|<>"'`()]+)|\| ?(?:tail|head|cat|tee|less)\b[^|;&<>"'`()]*)$/;

/** `cd app && CI=1 npm  test 2>&1 | tail -5` becomes `npm test`. */
export function comparedCommand(command: string): ComparedCommand {
  let text = collapseSpaces(command.slice(0, COMPARED_LENGTH).replace(COMMAND_PREFIX, ''));
  let isPiped = false;
  for (let end = OUTPUT_REDIRECTION.exec(text); end !== null; end = OUTPUT_REDIRECTION.exec(text)) {
    isPiped ||= end[0].includes('|');
    text = text.slice(0, end.index);
  }
  return { text, isPiped };
}

/** Collapses white space and joins continued lines. */
export function collapseSpaces(text: string): string {
  return collapseWhitespace(text.replaceAll('\\\n', '')).trim();
}
