import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import type { Child, ChildEnd } from '../../../src/claude/child.ts';
import { readClaudeArguments } from '../../../src/claude/claude-arguments.ts';
import type { Config } from '../../../src/config/config.ts';
import type { GovernorState } from '../../../src/core/governor/state.ts';
import type { Io } from '../../../src/io.ts';
import { PLAIN } from '../../../src/report/style.ts';
import { createTerminal } from '../../../src/report/terminal/terminal.ts';
import { callerInput } from '../../../src/run/caller-input.ts';
import { conductSession } from '../../../src/run/conduct.ts';
import type { HeadlessRun } from '../../../src/run/headless-run.ts';
import { openRecordFile } from '../../../src/run/run-files.ts';
import { PROTOCOL } from '../ctxb.ts';

export interface PlayedOptions {
  readonly config: Config;
  /** Told what comes out of ctxb's stdout, and what claude gets on its stdin. */
  readonly onStdout: (bytes: Buffer) => void;
  readonly onStdin?: (bytes: Buffer) => void;
  /** Makes a record, whose path is in `record`. */
  readonly recorded?: boolean;
}

/** A run of which all is real but the process of claude: its streams are the test's. */
export interface PlayedRun extends Disposable {
  /** After the newest line that was judged. */
  readonly state: GovernorState;
  readonly stderr: string;
  readonly record: string | undefined;
  readonly folder: string;
  /** claude writes. Resolves when ctxb has taken all of it. */
  claude(bytes: Uint8Array): Promise<void>;
  /** The caller writes. Resolves when ctxb has taken all of it. */
  caller(bytes: Uint8Array): Promise<void>;
  callerEnds(): void;
  /** ctxb has closed claude's stdin. */
  readonly isInputClosed: boolean;
  /** The caller's input is at its end, and claude ends. Resolves with the exit code. */
  end(end?: ChildEnd): Promise<number>;
}

const STDERR_KEPT = 20_000;

export async function playRun(options: PlayedOptions): Promise<PlayedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-played-'));
  const [stdin, stderr, claude] = [new PassThrough(), new PassThrough(), playedClaude(options.onStdin)];
  const io: Io = { stdin, stdout: taking(options.onStdout), stderr, env: { HOME: folder }, cwd: folder };
  const record = options.recorded ? join(folder, 'run.ndjson') : undefined;
  const headless = headlessRun(options.config, record);
  const runId = randomUUID();
  let said = '';
  stderr.on('data', (bytes: Buffer) => {
    said = (said + bytes).slice(-STDERR_KEPT);
  });
  const input = await callerInput(headless, runId, stdin, undefined);
  const terminal = createTerminal({ stderr, style: PLAIN, quiet: false, statusLine: 'never' });
  let state: GovernorState | undefined;
  const code = conductSession(headless, {
    runId,
    io,
    child: claude.child,
    signals: { first: new Promise(() => {}), received: () => undefined, handOver() {}, endOn() {}, stop() {} },
    input,
    record: record === undefined ? undefined : openRecordFile(record, false),
    watcher: {
      ...terminal,
      status(now) {
        state = now;
      },
    },
    startSuccessor: () => Promise.reject(new Error('none is played')),
  });
  return {
    folder,
    record,
    get state() {
      if (state === undefined) throw new Error('nothing was judged yet');
      return state;
    },
    get stderr() {
      return said;
    },
    claude: (bytes) => taken(claude.stdout, bytes),
    caller: (bytes) => taken(stdin, bytes),
    callerEnds: () => void stdin.end(),
    get isInputClosed() {
      return claude.child.stdin.writableFinished;
    },
    end(end = { code: 0, signal: undefined }) {
      stdin.end();
      claude.end(end);
      return code;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function headlessRun(config: Config, record: string | undefined): HeadlessRun {
  const invocation = readClaudeArguments(PROTOCOL);
  if (invocation.kind !== 'headless') throw new Error('expected a headless run');
  return { program: 'played', invocation, config, prompts: undefined, promptsFile: undefined, record };
}

function playedClaude(onStdin: (bytes: Buffer) => void = () => {}) {
  let end: (end: ChildEnd) => void = () => {};
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const child: Child = {
    pid: process.pid,
    stdin: taking(onStdin),
    stdout,
    stderr,
    ended: new Promise((resolve) => {
      end = resolve;
    }),
    kill() {},
  };
  return {
    child,
    stdout,
    end(how: ChildEnd) {
      stdout.end();
      stderr.end();
      end(how);
    },
  };
}

function taking(take: (bytes: Buffer) => void): Writable {
  return new Writable({
    decodeStrings: true,
    write(bytes: Buffer, _, done) {
      take(bytes);
      done();
    },
  });
}

/** A reader takes what is there before it lets anybody write more. */
async function taken(stream: PassThrough, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => stream.write(bytes, () => resolve()));
  do await new Promise(setImmediate);
  while (stream.readableLength > 0 || stream.writableLength > 0);
}
