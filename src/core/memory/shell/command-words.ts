import { type Command, type Link, programIn, shellLists } from './shell-lists.ts';

/** Of what a longer command does its words are no sign. */
const HEAD = 400;

const WORD = /\s*([A-Za-z][\w:-]*|\.{0,2}\/?[\w./-]+)(?=\s|$|[;&|)])/y;

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

/** What is run, without its arguments: `npm run build`, `go test`, `node tools/make.js`. At most three words. */
export function programOf(command: string): string {
  const core = commandCore(command).text;
  const words: string[] = [];
  WORD.lastIndex = 0;
  for (let match = WORD.exec(core); match !== null && words.length < 3; match = WORD.exec(core)) {
    const word = match[1] ?? '';
    const isArgument = words.length > 0 && !/^[a-z][\w:-]*$/.test(word);
    if (isArgument && !/^(?:node|python3?|ruby|bash|sh|tsx|deno|bun|php|perl)$/.test(words[0] ?? '')) break;
    words.push(word);
    if (isArgument) break;
  }
  return words.length > 0 ? words.join(' ') : core.slice(0, 40);
}

/** Every part of it only reads, as far as its words tell. */
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

/** The part of a command line that tells whether two are the same command. */
export interface CommandCore {
  /** Without folders and variables before it, and without what only shows its output. */
  readonly text: string;
  /** Its output was piped to a program whose exit status has taken the place of its own. */
  readonly piped: boolean;
}

/** They show what comes in, all of it or a part. */
const VIEWERS = new Set(['tail', 'head', 'cat', 'tee', 'less']);

/** `cd app && CI=1 npm  test 2>&1 | tail -5` becomes `npm test`. */
export function commandCore(command: string): CommandCore {
  const near = command.slice(0, NEAR);
  const links = (shellLists(near) ?? []).flatMap((chain) => chain.links);
  const own = links.slice(links.findIndex((link, at) => !isChangeOfFolder(link, links[at + 1])));
  const commands = own.flatMap((link) => link.commands);
  const [first, ...viewers] = commands;
  const last = commands.at(-1);
  if (first === undefined || last === undefined) return { text: oneSpaced(near), piped: false };
  const piped = own.length === 1 && viewers.length > 0 && viewers.every(isViewer);
  return { text: oneSpaced(near.slice(beginOf(first), endOf(piped ? first : last))), piped };
}

function isChangeOfFolder({ commands: [only, ...others] }: Link, next: Link | undefined): boolean {
  if (only?.kind !== 'simple' || others.length > 0 || next === undefined || next.otherwise) return false;
  return only.words[0]?.text === 'cd' && only.words.length === 2;
}

function isViewer(command: Command): boolean {
  return command.kind === 'simple' && VIEWERS.has(command.words[0]?.text ?? '');
}

function beginOf(command: Command): number {
  return (command.kind === 'simple' ? programIn(command.words)[0]?.from : undefined) ?? command.from;
}

/** Where the output goes does not change the exit status. */
function endOf(command: Command): number {
  if (command.kind !== 'simple') return command.to;
  const inputs = command.redirects.flatMap(({ operator, target }) => (operator.includes('>') ? [] : [target]));
  const ends = [...command.words, ...inputs].map(({ to }) => to);
  return ends.length === 0 ? command.to : Math.max(...ends);
}

/** A line that goes on in the next one is one line. */
export function oneSpaced(text: string): string {
  return text.replaceAll('\\\n', '').replace(/\s+/g, ' ').trim();
}
