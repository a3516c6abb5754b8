import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const STORE = fileURLToPath(new URL('../../src/store', import.meta.url));
const MODULES = ['sessions/sessions', 'runs/inbox', 'files/lock', 'folders/context-dir'];

/** Bundles the store, so that processes of their own can use it as `store`. */
export async function bundleStore(folder: string): Promise<string> {
  const outfile = join(folder, 'store.cjs');
  const contents = MODULES.map((name) => `export * from './${name}.ts';`).join('\n');
  const stdin = { contents, resolveDir: STORE };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'warning' });
  return outfile;
}

/** A process that uses the store. It speaks in lines; `say` and `runId` are there for it. */
export interface StoreProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** Its next line; undefined after the last. Fails with what it has said on stderr when it has ended otherwise than with 0. */
  next(): Promise<string | undefined>;
  /** Kills it the hard way, and waits until it is gone. */
  kill(): Promise<void>;
}

/** @param limit blocks of 1,024 bytes that no file may exceed, as if the disk were full */
export function startStoreProgram(bundle: string, code: string, limit?: number): StoreProgram {
  const prelude = `const store = require(${JSON.stringify(bundle)});
    const say = (value) => require('node:fs').writeSync(1, JSON.stringify(value) + '\\n');
    const runId = process.pid + '-child';`;
  const node = ['-e', prelude + code];
  const child =
    limit === undefined
      ? spawn(process.execPath, node)
      : spawn('bash', ['-c', `ulimit -f ${limit}; exec "$0" "$@"`, process.execPath, ...node]);
  const closed = once(child, 'close');
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    async next() {
      const { value } = await lines.next();
      if (value !== undefined) return value;
      const [code, signal] = await closed;
      if (code !== 0) throw new Error(`the program ended with ${code ?? signal}: ${complaints}`);
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
