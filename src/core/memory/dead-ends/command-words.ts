/** What the words of a shell command tell about it. Of long commands only the beginning is looked at. */

const HEAD = 400;

/** What comes before the command itself: a change of folder, variables, wrappers. */
const PREFIX =
  /^(?:\s+|\\\n|\(|(?:cd|pushd)\s+(?:"[^"]*"|'[^']*'|\S+)\s*(?:&&|;|\n)|[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*)\s+|(?:env|time|sudo|command|exec|nohup)\s+|timeout\s+(?:-\S+\s+)*\S+\s+|set\s+-\S+\s*(?:&&|;|\n))+/;

/** What comes after it and only redirects, filters or cuts its output. */
const SUFFIX =
  /\s*(?:[12&]?>>?\s*(?:&[12]|\/dev\/null)|\|&?\s*(?:tail|head|grep|egrep|rg|tee|less|cat|sed|awk|wc|sort|uniq)\b.*)$/s;

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

/** Without changes of folder and variables before it, and without filters of its output behind it. */
export function coreOf(command: string): string {
  let core = command.slice(0, HEAD).replace(PREFIX, '').trimEnd();
  for (let shorter = core.replace(SUFFIX, ''); shorter !== core; shorter = core.replace(SUFFIX, '')) core = shorter;
  return core;
}

/** What is run, without its arguments: `npm run build`, `go test`, `node tools/make.js`. At most three words. */
export function programOf(command: string): string {
  const core = coreOf(command);
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
  return WAITS.test(command.slice(0, HEAD).replace(PREFIX, ''));
}

export function asks(command: string): boolean {
  return ASKS.test(command.slice(0, HEAD).replace(PREFIX, ''));
}
