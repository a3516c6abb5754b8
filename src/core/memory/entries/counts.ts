import type { Counts } from '../entry.ts';

/** Runners close with their figures: this much of the end, in characters, is searched for them. */
const TAIL = 2_000;
/** Where figures are summed up, this much of the end; claude itself shows a model no more. */
const WINDOW = 32_000;

type Figure = keyof Counts | 'total';

/** What the words beside the figures mean; other words are passed over. */
const MEANINGS: ReadonlyMap<string, Figure> = new Map<string, Figure>([
  ...(['passed', 'pass', 'succeeded'] as const).map((word) => [word, 'passed'] as const),
  ...(['failed', 'fail', 'failure', 'failures', 'unexpected successes'] as const).map(
    (word) => [word, 'failed'] as const,
  ),
  ...(['skipped', 'skip', 'skips', 'pending', 'ignored', 'incomplete'] as const).map(
    (word) => [word, 'skipped'] as const,
  ),
  ...(['error', 'errors', 'previous error', 'previous errors'] as const).map((word) => [word, 'errors'] as const),
  ...(['warning', 'warnings', 'warning emitted', 'warnings emitted'] as const).map(
    (word) => [word, 'warnings'] as const,
  ),
  ...(['test', 'tests', 'tests run', 'test completed', 'tests completed'] as const).map(
    (word) => [word, 'total'] as const,
  ),
  ...(['example', 'examples', 'runs'] as const).map((word) => [word, 'total'] as const),
  ['error occurred outside of examples', 'errors'],
  ['errors occurred outside of examples', 'errors'],
]);

/** `3 failed`, `failed: 3` or `failed=3`. */
const PAIR = /(\d+) +([a-z]+(?: (?!and )[a-z]+)*)|([A-Za-z]+(?: [a-z]+)*)(?:=|: *)(\d+)/g;

/** The closing lines of one program. */
interface Rule {
  readonly of: 'test' | 'build';
  /** Without these characters the pattern is not tried. */
  readonly hint: string;
  /** Its groups are figures by their names, or a `list` of pairs; a `total` stands for what did not fail. */
  readonly line: RegExp;
  /** There is one such line for each part of the run; else the last one counts. */
  readonly sum?: true;
}

const RULES: readonly Rule[] = [
  // vitest
  { of: 'test', hint: 'Tests  ', line: /^(?: {6})?Tests {2}(?<list>\d+ [a-z ]+(?:\| \d+ [a-z ]+)*) \(\d+\)$/gm },
  { of: 'build', hint: 'Errors  ', line: /^(?: {5})?Errors {2}(?<errors>\d+) errors?$/gm },
  // jest
  { of: 'test', hint: 'Tests: ', line: /^Tests: +(?<list>\d+ [a-z]+(?:, \d+ [a-z]+)*), \d+ total$/gm },
  // mocha
  {
    of: 'test',
    hint: ' passing (',
    line: /^ {0,2}(?<passed>\d+) passing \(\d+(?:ms|s|m|h)\)$(?:\n {2}(?<skipped>\d+) pending$)?(?:\n {2}(?<failed>\d+) failing$)?/gm,
  },
  // node --test
  {
    of: 'test',
    hint: ' pass ',
    line: /^([ℹ#]) pass (?<passed>\d+)\n\1 fail (?<failed>\d+)(?:\n\1 cancelled \d+\n\1 skipped (?<skipped>\d+))?$/gm,
  },
  // bun
  { of: 'test', hint: 'Ran ', line: /^ ?(?<list>\d+ pass(?:\n \d+ [a-z() ]+)*)\nRan \d+ tests? across \d+ files?\./gm },
  // deno
  { of: 'test', hint: ' | ', line: /^(?:ok|FAILED) \| (?<list>\d+ passed[^\n]* \| \d+ failed[^\n]*) \([\dms. ]+\)$/gm },
  // pytest
  {
    of: 'test',
    hint: ' in ',
    line: /^(?:=+ )?(?<list>(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?|deselected|rerun)(?:, )?)+) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/gm,
  },
  // unittest
  {
    of: 'test',
    hint: 'Ran ',
    line: /^Ran (?<total>\d+) tests? in [\d.]+s\n\n(?:OK|FAILED)(?: \((?<list>[^)\n]*)\))?$/gm,
  },
  // cargo test, cargo nextest
  {
    of: 'test',
    hint: 'test result: ',
    line: /^test result: \w+\. (?<list>\d+ passed; \d+ failed; \d+ ignored); /gm,
    sum: true,
  },
  {
    of: 'test',
    hint: 'Summary [',
    line: /^(?: {5})?Summary \[ *[\d.]+s\] +\d+ tests? run: (?<list>\d+ passed[^\n]*)$/gm,
  },
  // rspec, minitest, ExUnit
  {
    of: 'test',
    hint: ' failure',
    line: /^(?<list>\d+ (?:examples?|tests?|runs)(?:, \d+ assertions)?, \d+ failures?(?:, \d+ [a-z ]+)*)$/gm,
  },
  // phpunit
  { of: 'test', hint: 'OK (', line: /^OK \((?<list>\d+ tests?)(?:, \d+ assertions?)?\)$/gm },
  { of: 'test', hint: 'Assertions: ', line: /^(?<list>Tests: \d+, Assertions: \d+(?:, [A-Z][A-Za-z ]+: \d+)*)\.$/gm },
  // dotnet test, dotnet build
  {
    of: 'test',
    hint: '!  - ',
    line: /^\w+! {2}- (?<list>Failed: +\d+, Passed: +\d+, Skipped: +\d+), Total: /gm,
    sum: true,
  },
  {
    of: 'test',
    hint: 'Test summary: ',
    line: /^Test summary: total: \d+, (?<list>failed: \d+, succeeded: \d+, skipped: \d+), /gm,
  },
  { of: 'build', hint: ' Warning(s)', line: /^ {0,4}(?<warnings>\d+) Warning\(s\)\n {4}(?<errors>\d+) Error\(s\)$/gm },
  { of: 'build', hint: 'Build ', line: /^Build \w+ with (?<list>\d+ (?:error|warning)\(s\)[^\n]*) in [\d.]+s$/gm },
  // maven
  {
    of: 'test',
    hint: 'Tests run: ',
    line: /^\[(?:INFO|WARNING|ERROR)\] (?<list>Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+)$/gm,
    sum: true,
  },
  // gradle, ctest
  { of: 'test', hint: ' completed, ', line: /^(?<list>\d+ tests? completed(?:, \d+ (?:failed|skipped))+)$/gm },
  {
    of: 'test',
    hint: '% tests passed',
    line: /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$/gm,
  },
  // tsc, biome, ruff, mypy
  {
    of: 'build',
    hint: 'Found ',
    line: /^Found (?<errors>\d+) errors?(?:\.(?: Watching for file changes\.)?| in \d+ files?\b[^\n]*| in \S+:\d+| in the same file, [^\n]*)$/gm,
  },
  { of: 'build', hint: ' remaining).', line: /^Found \d+ errors? \(\d+ fixed, (?<errors>\d+) remaining\)\.$/gm },
  { of: 'build', hint: 'Found ', line: /^Found (?<warnings>\d+) warnings?\.$/gm },
  // eslint, pyright
  { of: 'build', hint: ' problem', line: /^✖ \d+ problems? \((?<list>\d+ errors?, \d+ warnings?)\)$/gm },
  { of: 'build', hint: ' information', line: /^(?<list>\d+ errors?, \d+ warnings?), \d+ informations? ?$/gm },
  // cargo build: a crate says `generated` or, where it failed, `emitted`
  {
    of: 'build',
    hint: '` (',
    line: /^(?:error: could not compile `[^`\n]+` \([^)\n]*\) due to|warning: `[^`\n]+` \([^)\n]*\) generated) (?<list>\d+ [^\n]*)$/gm,
    sum: true,
  },
  // clang, esbuild, webpack
  {
    of: 'build',
    hint: ' generated.',
    line: /^(?<list>(?:\d+ warnings? and )?\d+ (?:errors?|warnings?)) generated\.$/gm,
    sum: true,
  },
  { of: 'build', hint: '✘ [ERROR] ', line: /^(?<list>(?:\d+ warnings? and )?\d+ errors?)$/gm },
  { of: 'build', hint: '▲ [WARNING] ', line: /^(?<warnings>\d+) warnings?$/gm },
  { of: 'build', hint: ' compiled with ', line: /^webpack [\d.]+ compiled with (?<list>[^\n]+) in \d+ ms$/gm },
  // golangci-lint
  { of: 'build', hint: ' issues', line: /^(?<errors>\d+) issues(?:\.$|:(?=\n\* [\w-]+: \d+$))/gm },
];

/** The end of a package that had tests, the end of a test, the beginning of a test; none that is part of another. */
const GO =
  /^(?:(ok {2}\t|FAIL\t)\S+(?:\t| \[)(?!.*\[no tests to run\])|--- (PASS|FAIL|SKIP): \S+ \(|=== (RUN) +[^/\s]+$|(FAIL)$)/gm;

const GO_RESULTS: Readonly<Record<string, Figure>> = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' };

/** Every closing line has one of these; most outputs have none. */
const FIGURE = /\d (?:pass|fail|previous|errors?\b|warning|Warning|issues|example|tests?\b|runs\b|problem)/;
const MARKS = ['ok  \t', 'FAIL\t', ' pass ', 'Tests run: ', 'Assertions: ', 'Passed: ', 'Test summary: '];

/**
 * Figures that a test run or a build has printed about itself in its closing lines; undefined where none are certain. Of
 * several test runs in one output the last counts. Without `-v`, go's figures are packages.
 */
export function readCounts(output: string): Counts | undefined {
  const tail = plain(output, TAIL);
  if (!FIGURE.test(tail) && !MARKS.some((mark) => tail.includes(mark))) return undefined;
  const found = RULES.flatMap((rule) => apply(rule, tail, output) ?? []);
  const go = goCounts(tail, output);
  if (go !== undefined) found.push(go);
  if (found.length === 0) return undefined;
  found.sort((one, other) => one.at - other.at);
  const test = found.findLast(({ of }) => of === 'test');
  const builds = found.filter(({ of }) => of === 'build').map(({ counts }) => counts);
  return Object.assign({}, ...builds, test?.counts);
}

interface Found {
  readonly of: Rule['of'];
  /** Where it ends, counted from the end of the output: figures of different programs come in this order. */
  readonly at: number;
  readonly counts: Counts;
}

function apply(rule: Rule, tail: string, output: string): Found | undefined {
  if (!tail.includes(rule.hint)) return undefined;
  const last = [...tail.matchAll(rule.line)].at(-1);
  if (last === undefined) return undefined;
  const lines = rule.sum ? [...plain(output, WINDOW).matchAll(rule.line)] : [last];
  const sums = new Map<Figure, number>();
  for (const { groups = {} } of lines) addFigures(sums, groups);
  const counts = toCounts(sums);
  return Object.keys(counts).length === 0 ? undefined : { of: rule.of, at: last.index - tail.length, counts };
}

function addFigures(sums: Map<Figure, number>, groups: Record<string, string | undefined>): void {
  const { list = '', ...named } = groups;
  for (const [name, figure] of Object.entries(named))
    if (figure !== undefined) add(sums, name as Figure, Number(figure));
  for (const [, before, word, name, behind] of list.matchAll(PAIR)) {
    const meaning = MEANINGS.get((word ?? name ?? '').toLowerCase());
    if (meaning !== undefined) add(sums, meaning, Number(before ?? behind));
  }
}

function add(sums: Map<Figure, number>, figure: Figure, count: number): void {
  sums.set(figure, (sums.get(figure) ?? 0) + count);
}

function toCounts(sums: Map<Figure, number>): Counts {
  const { total, ...counts } = Object.fromEntries(sums) as Partial<Record<Figure, number>>;
  if (total === undefined || counts.passed !== undefined) return counts;
  const { failed = 0, errors = 0, skipped = 0 } = counts;
  return { ...counts, passed: Math.max(0, total - failed - errors - skipped) };
}

function goCounts(tail: string, output: string): Found | undefined {
  if (!tail.includes('ok  \t') && !tail.includes('FAIL\t')) return undefined;
  const last = [...tail.matchAll(GO)].at(-1);
  if (last === undefined) return undefined;
  const figures = goFigures(readGo(plain(output, WINDOW)));
  return figures === undefined ? undefined : { of: 'test', at: last.index - tail.length, counts: toCounts(figures) };
}

interface GoRun {
  readonly packages: Map<Figure, number>;
  readonly tests: Map<Figure, number>;
  begun: number;
  /** A line says that the whole run failed. */
  failed: boolean;
}

function readGo(output: string): GoRun {
  const run: GoRun = { packages: new Map(), tests: new Map(), begun: 0, failed: false };
  for (const [, end, test, begun, failed] of output.matchAll(GO)) {
    if (begun !== undefined) run.begun++;
    else if (failed !== undefined) run.failed = true;
    else if (test !== undefined) add(run.tests, GO_RESULTS[test] ?? 'failed', 1);
    else add(run.packages, end?.startsWith('ok') ? 'passed' : 'failed', 1);
  }
  return run;
}

/** Without `-v` only tests that failed are named; of what `head`, `tail` or `grep` has cut a part is missing. */
function goFigures({ packages, tests, begun, failed }: GoRun): Map<Figure, number> | undefined {
  if (packages.size === 0) return undefined;
  const verbose = begun > 0 || tests.has('passed');
  const figures = verbose ? tests : packages;
  const ended = [...tests.values()].reduce((sum, count) => sum + count, 0);
  if (begun > 0 && begun !== ended) return undefined;
  return (failed || packages.has('failed')) && !figures.has('failed') ? undefined : figures;
}

/** The end of a text, without colours. */
function plain(text: string, length: number): string {
  const end = text.slice(-length);
  const lines = end.includes('\x1b') ? withoutColours(text, length) : end;
  return lines.includes('\r') ? lines.replaceAll('\r\n', '\n') : lines;
}

/** Colours can double the length of a line. */
function withoutColours(text: string, length: number): string {
  return text
    .slice(-2 * length)
    .replace(/\x1b\[[\d;]*[A-Za-z]/g, '')
    .slice(-length);
}
