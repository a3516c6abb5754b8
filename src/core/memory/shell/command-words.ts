import type { Discard } from '../entry.ts';

/** The words of a longer command do not show its effect. */
const HEAD = 400;

/** Commands that only read. */
const READER =
  /^\s*(?:ls|cat|bat|head|tail|grep|e?grep|fgrep|rg|ag|find(?![^|;&]*-(?:delete|exec))|fd|wc|pwd|cd|echo|printf|which|type|command -v|file|stat|du|df|tree|sort|uniq|cut|tr|jq|yq|diff|cmp|date|env|printenv|whoami|uname|hostname|ps|pgrep|lsof|true|sed\s+-n|awk|xxd|od|basename|dirname|realpath|readlink|test|\[|git\s+(?:-C\s+\S+\s+)?(?:status|diff|log|show|blame|rev-parse|rev-list|ls-files|ls-tree|ls-remote|cat-file|grep|describe|merge-base|shortlog|reflog|branch(?=\s*(?:$|-[avr]|--(?:list|show)))|remote(?=\s*(?:$|-v|show))|config\s+--get)|gh\s+\w+\s+(?:view|list|status|checks|diff))(?=\s|$)/;

/** Writes a file; redirecting one stream to another does not count. */
const WRITES = /(?<![0-9&<=-])>{1,2}(?!\s*(?:&|\/dev\/null))|\btee\b/;

/** Waits for something, or polls its progress. */
const WAITS =
  /^\s*(?:sleep|wait|watch|until|while|curl|wget|nc|ping|pgrep|ps|lsof|pg_isready|redis-cli|docker (?:ps|logs|inspect)|docker[ -]compose (?:ps|logs)|kubectl (?:get|logs|describe|rollout|wait)|systemctl (?:status|is-active)|launchctl|adb devices|tail|gh (?:run|pr|workflow) (?:view|checks|list|status|watch)|gh api)\b|\bsleep\s+[\d.$]|--watch\b|\btail\s+-[fF]/;

/** Their failure is an answer: nothing found, or not equal. */
const ASKS =
  /^\s*(?:!|grep|egrep|fgrep|rg|ag|diff|cmp|test|\[\[?|which|type|command -v|pgrep|find|git (?:diff|grep|merge-base|show-ref|check-ignore|ls-remote|rev-parse)|\w+ --version)(?=\s|$)/;

/** All its parts only read, judging by their words. */
export function onlyReads(command: string): boolean {
  if (command.length > HEAD || !READER.test(command)) return false;
  if (WRITES.test(command)) return false;
  return command.split(/&&|\|\||[;|\n]/).every((part) => part.trim() === '' || READER.test(part));
}

export function waits(command: string): boolean {
  return WAITS.test(commandCore(command).text);
}

export function asks(command: string): boolean {
  return ASKS.test(commandCore(command).text);
}

/** Longer commands are compared by their beginning. */
const NEAR = 2_000;

/** The part of a command line that identifies the command. */
export interface CommandCore {
  /** Without folders and variables before it, and without what only shows its output. */
  readonly text: string;
  /** Its output was piped to a program whose exit status has taken the place of its own. */
  readonly piped: boolean;
}

/** Text before a command that only sets where and how it runs. */
const LEAD =
  /^(?:\s*cd\s+(?:"[^"]*"|'[^']*'|[^\s;&|]+)\s*?(?:&&|[;\n])|\s*[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*)\s|\s*(?:sudo|command|builtin|nohup|env|time|timeout\s+\S+)\s)+/;

/** At the end of a line: where output goes, or a program that shows all or a part of what comes in. */
const OUTPUT = / ?(?:[&\d]?>{1,2} ?(?:&\d|[^\s;&|<>"'`()]+)|\| ?(?:tail|head|cat|tee|less)\b[^|;&<>"'`()]*)$/;

/** `cd app && CI=1 npm  test 2>&1 | tail -5` becomes `npm test`. */
export function commandCore(command: string): CommandCore {
  let text = oneSpaced(command.slice(0, NEAR).replace(LEAD, ''));
  let piped = false;
  for (let end = OUTPUT.exec(text); end !== null; end = OUTPUT.exec(text)) {
    piped ||= end[0].includes('|');
    text = text.slice(0, end.index);
  }
  return { text, piped };
}

/** A line that continues in the next one is one line. */
export function oneSpaced(text: string): string {
  return text.replaceAll('\\\n', '').replace(/\s+/g, ' ').trim();
}

/** The ways to discard uncommitted changes; names after them are paths. */
const DISCARDS: readonly (readonly [Discard['how'], RegExp])[] = [
  ['checkout', /^git checkout (?:\S+ )?-- (.+)$/],
  ['checkout', /^git checkout (?:-f|--force|HEAD)? ?(\.|\S*\.[a-z]{2,4}(?: \S+)*)$/],
  ['restore', /^git restore (?!.*(?:-S|--staged|-p|--patch)\b)(.+)$/],
  ['reset', /^git reset (?:.* )?--(?:hard|merge|keep)(?: |$)/],
];

/** The changes that a successful command took back; a path may be a folder, with everything in it. */
export function discardsOf(command: string): Discard | undefined {
  if (!command.includes('git ') || command.includes('||')) return undefined;
  const discards = partsOf(command).flatMap((part) =>
    DISCARDS.flatMap(([how, pattern]): Discard[] => {
      const match = pattern.exec(part);
      if (match === null) return [];
      const paths = match[1]?.split(' ').filter((word) => /^[^-$*"'`:]/.test(word));
      return [{ how, paths: paths === undefined || paths.includes('.') ? 'all' : paths }];
    }),
  );
  return discards[0];
}

export function commits(command: string): boolean {
  return (
    command.includes('git commit') && partsOf(command).some((part) => /^git commit(?: (?!--dry-run)|$)/.test(part))
  );
}

/** The commands of a line, without their leading words. */
function partsOf(command: string): string[] {
  return command
    .slice(0, NEAR)
    .split(/&&|[;|\n]/)
    .map((part) => commandCore(part).text);
}
