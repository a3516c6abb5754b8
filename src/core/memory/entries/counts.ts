import type { Counts } from '../entry.ts';

/** Runners close with their figures: this much of the end, in characters, is searched for them. */
const TAIL = 2_000;
/** Where figures are summed up, this much of the end; claude itself shows a model no more. */
const WINDOW = 32_000;

type Figure = keyof Counts | 'total';

/** What the words beside the figures mean; other words are passed over. */
const WORDS: Readonly<Record<Figure, readonly string[]>> = {
  passed: ['passed', 'pass', 'succeeded'],
  failed: ['failed', 'fail', 'failure', 'failures', 'unexpected successes'],
  skipped: ['skipped', 'skip', 'skips', 'pending', 'ignored', 'incomplete'],
  errors: [
    ...['error', 'errors', 'previous error', 'previous errors'],
    ...['error occurred outside of examples', 'errors occurred outside of examples'],
  ],
  warnings: ['warning', 'warnings', 'warning emitted', 'warnings emitted'],
  total: [...['test', 'tests', 'tests run', 'test completed', 'tests completed'], ...['example', 'examples', 'runs']],
};
const MEANINGS: ReadonlyMap<string, Figure> = new Map(
  (Object.keys(WORDS) as Figure[]).flatMap((figure) => WORDS[figure].map((word) => [word, figure] as const)),
);

/** `3 failed`, `failed: 3` or `failed=3`. */
const PAIR = /(\d+) +([a-z]+(?: (?!and )[a-z]+)*)|([A-Za-z]+(?: [a-z]+)*)(?:=|: *)(\d+)/g;

/**
 * Closing lines of test runners. Their groups are figures by their names, or a `list` of pairs; a `total` stands for
 * what did not fail.
 */
const TESTS: readonly RegExp[] = [
  // vitest
  /^(?: {6})?Tests {2}(?<list>\d+ [a-z ]+(?:\| \d+ [a-z ]+)*) \(\d+\)$/gm,
  // jest
  /^Tests: +(?<list>\d+ [a-z]+(?:, \d+ [a-z]+)*), \d+ total$/gm,
  // mocha
  /^ {0,2}(?<passed>\d+) passing \(\d+(?:ms|s|m|h)\)$(?:\n {2}(?<skipped>\d+) pending$)?(?:\n {2}(?<failed>\d+) failing$)?/gm,
  // node --test
  /^([ℹ#]) pass (?<passed>\d+)\n\1 fail (?<failed>\d+)(?:\n\1 cancelled \d+\n\1 skipped (?<skipped>\d+))?$/gm,
  // bun
  /^ ?(?<list>\d+ pass(?:\n \d+ [a-z() ]+)*)\nRan \d+ tests? across \d+ files?\./gm,
  // deno
  /^(?:ok|FAILED) \| (?<list>\d+ passed[^\n]* \| \d+ failed[^\n]*) \([\dms. ]+\)$/gm,
  // pytest
  /^(?:=+ )?(?<list>(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?|deselected|rerun)(?:, )?)+) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/gm,
  // unittest
  /^Ran (?<total>\d+) tests? in [\d.]+s\n\n(?:OK|FAILED)(?: \((?<list>[^)\n]*)\))?$/gm,
  // cargo test, cargo nextest
  /^(?: {5})?Summary \[ *[\d.]+s\] +\d+ tests? run: (?<list>\d+ passed[^\n]*)$/gm,
  // rspec, minitest, ExUnit
  /^(?<list>\d+ (?:examples?|tests?|runs)(?:, \d+ assertions)?, \d+ failures?(?:, \d+ [a-z ]+)*)$/gm,
  // phpunit
  /^OK \((?<list>\d+ tests?)(?:, \d+ assertions?)?\)$/gm,
  /^(?<list>Tests: \d+, Assertions: \d+(?:, [A-Z][A-Za-z ]+: \d+)*)\.$/gm,
  // dotnet test, dotnet build
  /^Test summary: total: \d+, (?<list>failed: \d+, succeeded: \d+, skipped: \d+), /gm,
  // gradle, ctest
  /^(?<list>\d+ tests? completed(?:, \d+ (?:failed|skipped))+)$/gm,
  /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$/gm,
];

/** The same of those that print one line for each part of the run: they are summed up. */
const TEST_PARTS: readonly RegExp[] = [
  // cargo test, cargo nextest
  /^test result: \w+\. (?<list>\d+ passed; \d+ failed; \d+ ignored); /gm,
  // dotnet test, dotnet build
  /^\w+! {2}- (?<list>Failed: +\d+, Passed: +\d+, Skipped: +\d+), Total: /gm,
  // maven
  /^\[(?:INFO|WARNING|ERROR)\] (?<list>Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+)$/gm,
];

/** Closing lines of builds and linters. */
const BUILDS: readonly RegExp[] = [
  // vitest
  /^(?: {5})?Errors {2}(?<errors>\d+) errors?$/gm,
  // dotnet test, dotnet build
  /^ {0,4}(?<warnings>\d+) Warning\(s\)\n {4}(?<errors>\d+) Error\(s\)$/gm,
  /^Build \w+ with (?<list>\d+ (?:error|warning)\(s\)[^\n]*) in [\d.]+s$/gm,
  // tsc, biome, ruff, mypy
  /^Found (?<errors>\d+) errors?(?:\.(?: Watching for file changes\.)?| in \d+ files?\b[^\n]*| in \S+:\d+| in the same file, [^\n]*)$/gm,
  /^Found \d+ errors? \(\d+ fixed, (?<errors>\d+) remaining\)\.$/gm,
  /^Found (?<warnings>\d+) warnings?\.$/gm,
  // eslint, pyright
  /^✖ \d+ problems? \((?<list>\d+ errors?, \d+ warnings?)\)$/gm,
  /^(?<list>\d+ errors?, \d+ warnings?), \d+ informations? ?$/gm,
  // clang, esbuild, webpack
  /^(?<list>(?:\d+ warnings? and )?\d+ errors?)$(?<=✘ \[ERROR\] [\s\S]*)/gm,
  /^(?<warnings>\d+) warnings?$(?<=▲ \[WARNING\] [\s\S]*)/gm,
  /^webpack [\d.]+ compiled with (?<list>[^\n]+) in \d+ ms$/gm,
  // golangci-lint
  /^(?<errors>\d+) issues(?:\.$|:(?=\n\* [\w-]+: \d+$))/gm,
];

/** The same with one line for each part. */
const BUILD_PARTS: readonly RegExp[] = [
  // cargo build: a crate says `generated` or, where it failed, `emitted`
  /^(?:error: could not compile `[^`\n]+` \([^)\n]*\) due to|warning: `[^`\n]+` \([^)\n]*\) generated) (?<list>\d+ [^\n]*)$/gm,
  // clang, esbuild, webpack
  /^(?<list>(?:\d+ warnings? and )?\d+ (?:errors?|warnings?)) generated\.$/gm,
];

/** The end of a package that had tests, the end of a test, the beginning of a test; none that is part of another. */
const GO =
  /^(?:(?:ok {2}\t|FAIL\t)\S+(?:\t| \[)(?!.*\[no tests to run\])|--- (?:PASS|FAIL|SKIP): \S+ \(|=== RUN +[^/\s]+$|FAIL$)/gm;

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
  const whole = plain(output, WINDOW);
  const lastOf = (lines: readonly RegExp[]) => lines.flatMap((line) => figuresOf(line, tail));
  const sumOf = (lines: readonly RegExp[]) => lines.flatMap((line) => figuresOf(line, tail, whole));
  const test = inOrder([...lastOf(TESTS), ...sumOf(TEST_PARTS), ...goFigures(tail, whole)]).at(-1);
  const builds = inOrder([...lastOf(BUILDS), ...sumOf(BUILD_PARTS)]);
  const found = test === undefined ? builds : [...builds, test];
  return found.length === 0 ? undefined : Object.assign({}, ...found);
}

interface Found {
  readonly at: number;
  readonly counts: Counts;
}

function inOrder(found: readonly Found[]): Counts[] {
  return found.toSorted((one, other) => one.at - other.at).map(({ counts }) => counts);
}

/** The figures of the last such line, or, where `whole` is given, of all that are in it together. */
function figuresOf(line: RegExp, tail: string, whole?: string): Found[] {
  const last = [...tail.matchAll(line)].at(-1);
  if (last === undefined) return [];
  const sums = new Map<Figure, number>();
  for (const { groups = {} } of whole === undefined ? [last] : whole.matchAll(line)) addFigures(sums, groups);
  return foundAt(last.index, sums);
}

function addFigures(sums: Map<Figure, number>, { list = '', ...named }: Record<string, string | undefined>): void {
  for (const [name, count] of Object.entries(named)) if (count !== undefined) add(sums, name as Figure, Number(count));
  for (const [, before, word, name, behind] of list.matchAll(PAIR)) {
    const meaning = MEANINGS.get((word ?? name ?? '').toLowerCase());
    if (meaning !== undefined) add(sums, meaning, Number(before ?? behind));
  }
}

function add(sums: Map<Figure, number>, figure: Figure, count: number): void {
  sums.set(figure, (sums.get(figure) ?? 0) + count);
}

function foundAt(at: number, sums: Iterable<readonly [string, number]>): Found[] {
  const { total, ...counts } = Object.fromEntries(sums) as Partial<Record<Figure, number>>;
  const { failed = 0, errors = 0, skipped = 0 } = counts;
  const passed = total === undefined ? undefined : Math.max(0, total - failed - errors - skipped);
  const known = passed === undefined ? counts : { passed, ...counts };
  return Object.keys(known).length === 0 ? [] : [{ at, counts: known }];
}

/** Without `-v` only tests that failed are named; of what `head`, `tail` or `grep` has cut a part is missing. */
function goFigures(tail: string, whole: string): Found[] {
  const last = [...tail.matchAll(GO)].at(-1);
  if (last === undefined) return [];
  const lines = [...whole.matchAll(GO)].map(([line]) => line);
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  const packages = { passed: count('ok '), failed: count('FAIL\t'), skipped: 0 };
  const tests = { passed: count('--- PASS'), failed: count('--- FAIL'), skipped: count('--- SKIP') };
  const begun = count('=== RUN');
  const { passed, failed, skipped } = begun > 0 || tests.passed > 0 ? tests : packages;
  const isWhole = begun === 0 || begun === tests.passed + tests.failed + tests.skipped;
  if (packages.passed + packages.failed === 0 || !isWhole || (count('FAIL') > 0 && failed === 0)) return [];
  return foundAt(
    last.index,
    Object.entries({ passed, failed, skipped }).filter(([, figure]) => figure > 0),
  );
}

/** The end of a text, without colours, which can double the length of a line. */
function plain(text: string, length: number): string {
  const end = text.slice(-length);
  if (!/[\x1b\r]/.test(end)) return end;
  const wide = text.slice(-2 * length).replace(/\x1b\[[\d;]*[A-Za-z]/g, '');
  return wide.slice(-length).replaceAll('\r\n', '\n');
}
