// Tries the built program and the library on the other versions of Node that are promised, with a Node from the
// registry. One that cannot be had here is said and passed over; what goes wrong on one ends with code 1.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const VERSIONS = ['22', '24'];

const PACKAGE = `node-${process.platform}-${process.arch}`;
const RECORDINGS = 'fixtures/recordings';
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e'];

/** Commands with the same output on every Node. */
const SAME = {
  version: ['dist/ctxb.cjs', '--version'],
  replay: ['dist/ctxb.cjs', 'replay', '--no-cache', '--json', RECORDINGS],
  library: ['fixtures/library/uses-all.mjs', `${RECORDINGS}/crossing.ndjson`],
};

/** The real claude, compacted between two turns. */
const RUN = [...VITEST, 'test/e2e/boundary-compaction.test.ts', '-t', 'four prompts'];

for (const version of VERSIONS) {
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-node-'));
  try {
    const node = download(version, folder);
    if (node === undefined) console.log(`Node ${version}: cannot be had here, not tried`);
    else tryOut(node);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The path of a Node of this version; undefined where the registry does not give one. */
function download(version, cwd) {
  const quiet = { cwd, stdio: 'ignore' };
  const packing = ['pack', '--prefer-offline', '--fetch-retries=0', `${PACKAGE}@${version}`];
  if (spawnSync('npm', packing, quiet).status !== 0) return undefined;
  const [archive] = readdirSync(cwd);
  const unpacked = spawnSync('tar', ['-xzf', archive, 'package/bin/node'], quiet);
  return unpacked.status === 0 ? join(cwd, 'package/bin/node') : undefined;
}

function tryOut(node) {
  const name = `Node ${output(node, ['--version']).trim()}`;
  const wrong = Object.keys(SAME).filter((what) => output(node, SAME[what]) !== output(process.execPath, SAME[what]));
  if (spawnSync(node, RUN, { ...world(node), stdio: 'inherit' }).status !== 0) wrong.push('run');
  console.log(wrong.length === 0 ? `${name}: as with ${process.version}` : `${name}: wrong is ${wrong.join(', ')}`);
  if (wrong.length > 0) process.exitCode = 1;
}

function output(node, args) {
  return execFileSync(node, args, { ...world(node), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

/** Programs that are started by name run on the same Node. */
function world(node) {
  return { env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` } };
}
