// Holds ctxb against another Claude Code than the pinned one, which comes from the registry into a temporary folder.
//
// `latest [VERSION] [FILE]…` runs ctxb doctor and the end-to-end tests (of these files, else all) with the newest
// release, or with the one that is named, and prints what differs from the pinned one. `oldest` runs doctor and a part
// of the tests with the oldest that is supported. Ends with code 1 when something is to be done.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const NAME = '@anthropic-ai/claude-code';
const { config, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const PINNED = devDependencies[NAME];

/** What is tried with the oldest: a test or two of each file, by words of their names. */
const OLDEST_PART = {
  'boundary-compaction': ['four prompts'],
  exact: ['between two turns ctxb says', 'in mid-turn the running prompt'],
  formats: ["'text': ", "'json': ", "'stream-json': ", "'lines on stdin': "],
  handoff: ['gives the fresh context the document', 'after one attempt'],
  limits: ['ends the run with 5', "waited for by 'ctxb'", 'resets later'],
  'mid-turn': ['compacted at the placed trigger', 'is kept in a file'],
  prices: ['claude itself counts'],
  recovery: ['in the middle of a tool', 'taken up with --resume-run'],
  replay: ['copies into the log'],
  standin: ['summary request', 'beside the conversation'],
};

const [what, ...rest] = process.argv.slice(2);
if (what !== 'latest' && what !== 'oldest') {
  throw new Error('usage: other-claude.mjs latest [VERSION] [FILE]… | other-claude.mjs oldest');
}
const named = rest.find((word) => /^\d/.test(word));
const version = what === 'oldest' ? config.oldestClaudeCode : (named ?? latest());
const folder = mkdtempSync(join(tmpdir(), 'ctxb-claude-'));
try {
  console.log(`Claude Code ${version} (pinned: ${PINNED})`);
  const differences = version === PINNED ? [] : tryOut(install(version));
  for (const line of differences) console.log(line);
  if (differences.length === 0) console.log('nothing differs');
  else process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
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
  const files = rest.filter((word) => word !== named);
  return what === 'oldest' ? tryPart(claude) : compare(claude, programIn('node_modules/@anthropic-ai'), files);
}

function compare(other, pinned, files) {
  const before = new Map(facts(pinned).map((fact) => [fact.name, fact]));
  const changed = facts(other).filter(({ name, status }) => before.get(name)?.status !== status);
  const failing = failures(other, files);
  // What fails is tried once more with the pinned one, which tells a change of claude's from a fault of today's.
  const old = failing.length === 0 ? [] : failures(pinned, [...new Set(failing.map(({ file }) => file))]);
  const known = new Set(old.map(title));
  return [
    ...changed.map((fact) => `fact   ${told(fact)} (${PINNED}: ${before.get(fact.name)?.status})`),
    ...failing.map(title).map((test) => `test   ${test}${known.has(test) ? ` (with ${PINNED} as well)` : ''}`),
  ];
}

function tryPart(claude) {
  const odd = facts(claude).filter(({ status }) => status !== 'holds');
  const files = Object.keys(OLDEST_PART).map((name) => `test/e2e/${name}.test.ts`);
  const failing = failures(claude, files, Object.values(OLDEST_PART).flat());
  return [...odd.map((fact) => `fact   ${told(fact)}`), ...failing.map((test) => `test   ${title(test)}`)];
}

/** What doctor finds, each with its status. */
function facts(claude) {
  const args = ['dist/ctxb.cjs', 'doctor', '--claude', claude, '--timeout', '300', '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (stdout === '') throw new Error(`doctor found nothing out: ${stderr}`);
  const found = JSON.parse(stdout).facts;
  console.log(`doctor: ${found.filter(({ status }) => status === 'holds').length} of ${found.length} facts hold`);
  return found;
}

function told({ name, status, seen }) {
  return `${name}: ${status}${seen === undefined ? '' : `, ${seen}`}`;
}

/** The end-to-end tests that fail with this claude, and the files of which no test was run. */
function failures(claude, files, words = []) {
  const report = join(folder, 'tests.json');
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e'];
  const chosen = words.length === 0 ? files : [...files, '-t', words.join('|')];
  const env = { ...process.env, CTXB_TEST_CLAUDE: claude, CTXB_SOAK: '1', NO_COLOR: '1' };
  spawnSync(process.execPath, [...vitest, ...reporters, ...chosen], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const { testResults, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'));
  console.log(`tests: ${numPassedTests} pass`);
  const failed = testResults.flatMap(({ name, message, assertionResults }) => {
    const file = `test/e2e/${basename(name)}`;
    const run = assertionResults.filter(({ status }) => status === 'passed' || status === 'failed');
    if (run.length === 0) return [{ file, words: message || 'no test was run' }];
    return run.filter(({ status }) => status === 'failed').map(({ fullName }) => ({ file, words: fullName }));
  });
  const found = new Set(testResults.map(({ name }) => `test/e2e/${basename(name)}`));
  return [...failed, ...files.filter((file) => !found.has(file)).map((file) => ({ file, words: 'is not there' }))];
}

function title({ file, words }) {
  return `${file}: ${words}`;
}
