// Holds ctxb against another Claude Code than the pinned one, which comes from the registry into a temporary folder.
//
// `latest [VERSION] [FILE]…` takes the newest release, or the one that is named: what it shows from outside, all facts of
// ctxb doctor, each invocation with and without ctxb, windows, prices and the end-to-end tests (or only these files).
// A failed check runs again, and then with the pinned version: a difference fails twice and holds there. `oldest` runs
// doctor and a part of the tests with the oldest that is supported. Ends with code 1 where there is a difference. `latest`
// also writes what it has found to docs/releases.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { withRelease } from './releases.mjs';

const NAME = '@anthropic-ai/claude-code';
const { config, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const PINNED = devDependencies[NAME];

/** Tests for the oldest version: one or two of each file, by words of their names. */
const OLDEST_PART = JSON.parse(readFileSync('test/support/oldest-part.json', 'utf8'));

/** Files behind the tables of versions. With the newest version they run whole, other files at the daily size. */
const WHOLE = ['differences', 'prices', 'windows'].map((name) => `test/e2e/${name}.test.ts`);

const [what, ...rest] = process.argv.slice(2);
if (what !== 'latest' && what !== 'oldest') {
  throw new Error('usage: other-claude.mjs latest [VERSION] [FILE]… | other-claude.mjs oldest');
}
const named = rest.find((word) => /^\d/.test(word));
const version = what === 'oldest' ? config.oldestClaudeCode : (named ?? latest());
/** The number of facts that hold in doctor's first run. */
let holding;
const folder = mkdtempSync(join(tmpdir(), 'ctxb-claude-'));
try {
  console.log(`Claude Code ${version} (pinned: ${PINNED})`);
  const isPinned = version === PINNED && named === undefined;
  if (isPinned) facts(programIn('node_modules/@anthropic-ai'));
  const differences = isPinned ? [] : tryOut(install(version));
  for (const line of differences) console.log(line);
  if (differences.length === 0) console.log('nothing differs');
  else process.exitCode = 1;
  if (what === 'latest' && rest.every((word) => word === named)) noteRelease(differences.length);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function noteRelease(differences) {
  const date = new Date().toISOString().slice(0, 10);
  const page = readFileSync('docs/releases.md', 'utf8');
  writeFileSync('docs/releases.md', withRelease(page, { version, date, facts: holding, differences }));
}

function latest() {
  return execFileSync('npm', ['view', NAME, 'dist-tags.latest'], { encoding: 'utf8' }).trim();
}

/** The path of a claude of this version. */
function install(wanted) {
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', ['install', '--prefix', folder, ...flags, `${NAME}@${wanted}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return programIn(join(folder, 'node_modules/@anthropic-ai'));
}

/** The program of the platform's own package. */
function programIn(packages) {
  for (const name of readdirSync(packages).filter((found) => found.startsWith('claude-code-'))) {
    const program = readdirSync(join(packages, name)).find((found) => /^claude(\.exe)?$/.test(found));
    if (program !== undefined) return join(packages, name, program);
  }
  throw new Error(`no program for this platform in ${packages}`);
}

function tryOut(claude) {
  return what === 'oldest' ? tryPart(claude) : compare(claude, resolve(programIn('node_modules/@anthropic-ai')));
}

function compare(other, pinned) {
  const files = rest.filter((word) => word !== named);
  timed('what it shows from outside', () => showSurface(other));
  const changed = timed('facts', () => changedFacts(other, pinned));
  const whole = files.length === 0 ? WHOLE : files;
  const failing = timed(`${whole.length} files of tests, whole`, () =>
    failures(other, { files: whole, isWhole: true }),
  );
  if (files.length === 0) failing.push(...timed('the other tests', () => failures(other, { files: others() })));
  return [...changed, ...timed('what failed, once more', () => realFailures(failing, other, pinned))];
}

function timed(name, work) {
  const begun = performance.now();
  const found = work();
  console.log(`${name}: ${Math.round((performance.now() - begun) / 1000)} s`);
  return found;
}

/** Differences from the pinned version: to be examined, not faults. */
function showSurface(claude) {
  const program = 'dist/bench/surface.mjs';
  execFileSync(process.execPath, [program, claude, folder], { stdio: 'ignore' });
  const known = `fixtures/claude/${PINNED}.json`;
  if (!existsSync(known)) throw new Error(`there is no ${known}: npm run claude:surface`);
  const found = execFileSync(process.execPath, [program, 'diff', known, join(folder, `${version}.json`)]);
  for (const line of found.toString().trimEnd().split('\n')) console.log(`shows  ${line}`);
}

function changedFacts(other, pinned) {
  const odd = facts(other).filter(({ status }) => status !== 'holds');
  if (odd.length === 0) return [];
  const [again, before] = [other, pinned].map((claude) => new Map(facts(claude).map((fact) => [fact.name, fact])));
  const statusOf = (found, { name }) => found.get(name)?.status;
  return odd
    .filter((fact) => statusOf(again, fact) === fact.status && statusOf(before, fact) !== fact.status)
    .map((fact) => `fact   ${told(fact)} (${PINNED}: ${statusOf(before, fact)})`);
}

/** Tests that fail again, but pass with the pinned version. Other failures come from the machine or from ctxb. */
function realFailures(failing, other, pinned) {
  const again = failing.length === 0 ? [] : failures(other, { only: failing, isWhole: true });
  const old = new Set((again.length === 0 ? [] : failures(pinned, { only: again, isWhole: true })).map(title));
  for (const test of again.map(title).filter((each) => old.has(each)))
    console.log(`fails with ${PINNED} as well: ${test}`);
  return again
    .map(title)
    .filter((test) => !old.has(test))
    .map((test) => `test   ${test}`);
}

function tryPart(claude) {
  const odd = facts(claude).filter(({ status }) => status !== 'holds');
  const files = Object.keys(OLDEST_PART).map((name) => `test/e2e/${name}.test.ts`);
  const words = Object.values(OLDEST_PART).flat().join('|');
  const failing = failures(claude, { files, words, isWhole: true });
  return [...odd.map((fact) => `fact   ${told(fact)}`), ...failing.map((test) => `test   ${title(test)}`)];
}

/** The findings of doctor, each with its status. */
function facts(claude) {
  const args = ['dist/ctxb.cjs', 'doctor', '--claude', claude, '--timeout', '300', '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (stdout === '') throw new Error(`doctor found nothing out: ${stderr}`);
  const found = JSON.parse(stdout).facts;
  const count = `${found.filter(({ status }) => status === 'holds').length} of ${found.length}`;
  console.log(`doctor: ${count} facts hold`);
  holding ??= count;
  return found;
}

function told({ name, status, seen }) {
  return `${name}: ${status}${seen === undefined ? '' : `, ${seen}`}`;
}

/**
 * The end-to-end tests that fail with this claude, and the files of which no test was run.
 *
 * @param chosen `files` and `words` of names (default: all), or `only` tests that failed; `isWhole`: at their full size
 */
function failures(claude, { only, files = filesOf(only), words = namesOf(only), isWhole = false }) {
  const report = join(folder, 'tests.json');
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e'];
  const chosen = words === '' ? files : [...files, '-t', words];
  const env = { ...process.env, CTXB_TEST_CLAUDE: claude, CTXB_DIFFERENCES: '1', NO_COLOR: '1' };
  if (isWhole) env.CTXB_SOAK = '1';
  spawnSync(process.execPath, [...vitest, ...reporters, ...chosen], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const { testResults, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'));
  console.log(`tests: ${numPassedTests} pass`);
  const failed = testResults.flatMap(({ name, message, assertionResults }) => {
    const file = `test/e2e/${basename(name)}`;
    const run = assertionResults.filter(({ status }) => status === 'passed' || status === 'failed');
    if (run.length === 0) return message !== '' || isWhole ? [{ file, words: message || 'no test was run' }] : [];
    return run
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => ({ file, words: fullName, isTest: true }));
  });
  const found = new Set(testResults.map(({ name }) => `test/e2e/${basename(name)}`));
  // At the daily size some files are left out, and some have no test that runs.
  const missing = files.filter((file) => !found.has(file) && !existsSync(file));
  return [...failed, ...missing.map((file) => ({ file, words: 'is not there' }))];
}

function others() {
  const files = readdirSync('test/e2e').filter((name) => name.endsWith('.test.ts'));
  return files.map((name) => `test/e2e/${name}`).filter((file) => !WHOLE.includes(file));
}

function filesOf(tests = []) {
  return [...new Set(tests.map(({ file }) => file))];
}

/** As a pattern; empty where a whole file failed, which runs again. */
function namesOf(tests = []) {
  if (!tests.every(({ isTest }) => isTest)) return '';
  return tests.map(({ words }) => words.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')).join('|');
}

function title({ file, words }) {
  return `${file}: ${words}`;
}
