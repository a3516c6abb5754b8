import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, createWriteStream, type WriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quantile, sized } from './measure.ts';

const LINES = sized(3_000, 100);

/** In a round in which `cat` itself takes as long, in milliseconds, the machine was elsewhere: it says nothing of the others. */
const BUSY_MS = 2;
/** Rounds for each line that is measured, at most. */
const MOST_ROUNDS = 4;

/** A pipeline that copies lines: what is written to `input` comes out of `output`. */
interface Pipeline {
  readonly name: string;
  readonly input: WriteStream;
  readonly child: ChildProcess;
  send(line: string): Promise<number>;
}

/** Added latency of each line, beside `cat` and `jq`, line by line in turn. */
export async function benchLatency(folder: string, ctxb: string, env: Record<string, string>): Promise<void> {
  const fifo = (name: string) => join(folder, `${name}.fifo`);
  const claude = join(folder, 'copying-claude');
  writeFileSync(claude, `#!/bin/sh\nexec cat '${fifo('ctxb')}'\n`);
  chmodSync(claude, 0o755);
  const run = [ctxb, 'run', '--quiet', '--', claude, '-p', 'x', '--output-format', 'stream-json', '--verbose'];
  const pipelines = [
    open('cat', fifo('cat'), 'sh', ['-c', `cat '${fifo('cat')}' | cat`], env, folder),
    open('jq -c --unbuffered .', fifo('jq'), 'sh', ['-c', `cat '${fifo('jq')}' | jq -c --unbuffered .`], env, folder),
    open('ctxb run', fifo('ctxb'), process.execPath, run, env, folder),
  ];
  const samples = new Map(pipelines.map(({ name }) => [name, [] as number[]]));
  let busy = 0;
  for (let number = -100; number < LINES + busy && number < LINES * MOST_ROUNDS; number++) {
    const took: number[] = [];
    for (const pipeline of pipelines) took.push(await pipeline.send(assistantLine(number)));
    if (number < 0) continue;
    if ((took[0] ?? 0) >= BUSY_MS) busy++;
    else for (const [at, { name }] of pipelines.entries()) samples.get(name)?.push(took[at] ?? 0);
  }
  print(samples, busy);
  for (const { input } of pipelines) input.end();
  await Promise.all(pipelines.map(({ child }) => new Promise((resolve) => child.once('close', resolve))));
}

function open(
  name: string,
  fifo: string,
  command: string,
  args: string[],
  env: Record<string, string>,
  cwd: string,
): Pipeline {
  execFileSync('mkfifo', [fifo]);
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const input = createWriteStream(fifo);
  let pending = 0;
  let arrived = () => {};
  child.stdout.on('data', (chunk: Buffer) => {
    pending -= chunk.filter((byte) => byte === 10).length;
    if (pending === 0) arrived();
  });
  return {
    name,
    input,
    child,
    send: (line) =>
      new Promise((resolve) => {
        const start = performance.now();
        pending = 1;
        arrived = () => resolve(performance.now() - start);
        input.write(`${line}\n`);
      }),
  };
}

/** A line of the shape and size that is most frequent in real streams. */
function assistantLine(number: number): string {
  const usage = {
    input_tokens: 4,
    cache_creation_input_tokens: 900,
    cache_read_input_tokens: 30_000 + number,
    output_tokens: 1,
  };
  const content = [{ type: 'text', text: 'Now I will look at the tests of this module. '.repeat(12) }];
  const message = {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-6',
    content,
    usage,
  };
  return JSON.stringify({ type: 'assistant', message, parent_tool_use_id: null, session_id: 's', uuid: `u${number}` });
}

function print(samples: ReadonlyMap<string, readonly number[]>, busy: number): void {
  const base = samples.get('cat') ?? [];
  console.log(`\nLatency of a line, ${base.length} lines in turn through each pipeline`);
  if (busy > 0) console.log(`  ${busy} lines more are left out: cat itself took ${BUSY_MS} ms or longer`);
  for (const [name, values] of samples) {
    const [p50, p99] = [quantile(values, 0.5) * 1000, quantile(values, 0.99) * 1000];
    const ratio = (p50 / (quantile(base, 0.5) * 1000)).toFixed(2);
    console.log(
      `  ${name.padEnd(24)} p50 ${p50.toFixed(0).padStart(5)} µs   p99 ${p99.toFixed(0).padStart(5)} µs  ${ratio.padStart(6)} ×`,
    );
  }
}
