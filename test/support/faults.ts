import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Place } from '../cli/fakes.ts';

/** Something that goes wrong, and what comes of it. The table in `docs/faults.md` is made of these. */
export interface Fault {
  /** The fault in a few words. */
  readonly fault: string;
  /** The files of `src/run` that handle it, without extension. */
  readonly at: readonly string[];
  /** Part of a line on stderr; undefined: stderr has no notice. */
  readonly says?: string;
  readonly code: number;
  /** Stdout for the prompts `one` and `two`. Default: `one\ntwo\n`. */
  readonly stdout?: string;
  /** Prompts or answers that are lost. */
  readonly lost: string;
  readonly play: Play;
}

/** `ctxb run FLAGS --prompt one --prompt two -- PROGRAM`, run by a shell as `"$@"` in `script`. */
export interface Play {
  readonly fault?: string;
  readonly program?: (place: Place) => string;
  readonly flags?: readonly string[];
  readonly script?: string;
  readonly prepare?: (place: Place) => void;
}

/** Has a program of `fixtures/faults` loaded by ctxb itself before it begins. */
function loaded(name: string): string {
  const path = fileURLToPath(new URL(`../../fixtures/faults/${name}.mjs`, import.meta.url));
  return `node="$1"; shift; "$node" --import '${path}' "$@"`;
}

const LOG = 'the record from there on';
const NOTES = "the run's notes and journal from there on";
const NOTHING = 'nothing';
const NOT_TAKEN = "unread answers; claude's session log has them";
/** Held by the test: it takes the run up. */
export const RESUMED = '`ctxb run --resume-run` continues with the prompts that have no answer';
const UNANSWERED = `nothing: ${RESUMED}`;

export const FAULTS: readonly Fault[] = [
  {
    fault: 'claude does not exist (ENOENT)',
    at: ['run-headless', 'child'],
    says: 'no-such-claude: command not found',
    code: 127,
    stdout: '',
    lost: NOTHING,
    play: { program: () => 'no-such-claude' },
  },
  {
    fault: 'claude is not executable (EACCES)',
    at: ['run-headless', 'child'],
    says: 'cannot be started: EACCES (it is not a program, or you may not execute it',
    code: 126,
    stdout: '',
    lost: NOTHING,
    play: {
      program: (place) => place.path('claude'),
      prepare: (place) => {
        mkdirSync(place.path('claude'));
        chmodSync(place.path('claude'), 0o600);
      },
    },
  },
  {
    fault: 'the arguments are too long for the system (E2BIG)',
    at: ['run-headless', 'child'],
    says: 'cannot be started: E2BIG (its arguments are too long: give the prompt on stdin or with --prompts)',
    code: 126,
    stdout: '',
    lost: NOTHING,
    play: { script: loaded('too-many-arguments') },
  },
  {
    fault: 'too many files are open (EMFILE)',
    at: ['child'],
    says: 'too many files are open: raise the limit (ulimit -n)',
    code: 71,
    stdout: '',
    lost: NOTHING,
    play: { script: loaded('too-few-descriptors') },
  },
  {
    fault: 'the clock goes back, by a minute each time',
    at: ['run-session', 'conduct'],
    code: 0,
    lost: NOTHING,
    play: { script: loaded('clock-goes-back') },
  },
  {
    fault: 'claude writes a few bytes at a time',
    at: ['pass-on'],
    code: 0,
    lost: NOTHING,
    play: { fault: 'writes-slowly' },
  },
  {
    fault: 'two results in a row',
    at: ['run-session', 'pass-on'],
    code: 0,
    stdout: 'one\none\ntwo\ntwo\n',
    lost: NOTHING,
    play: { fault: 'two-results' },
  },
  {
    fault: 'claude ends without a result',
    at: ['claude-supervisor', 'conduct'],
    says: 'claude has ended and is not started again: 2 prompts not answered',
    code: 7,
    stdout: '',
    lost: UNANSWERED,
    play: { fault: 'no-result' },
  },
  {
    fault: 'the work removes `.context`, as `git clean -fdx` does, and claude ends without a result',
    at: ['run-files'],
    says: 'the run is written down again: its file in ',
    code: 7,
    stdout: '',
    lost: `the notes so far; ${RESUMED}`,
    play: { fault: 'removes-notes' },
  },
  {
    fault: 'claude ends in the middle of a line',
    at: ['claude-supervisor', 'pass-on'],
    says: 'claude has ended and is not started again: 2 prompts not answered',
    code: 7,
    stdout: '',
    lost: UNANSWERED,
    play: { fault: 'half-a-line' },
  },
  {
    fault: "another program writes into claude's lines",
    at: ['pass-on'],
    says: 'npm notice ',
    code: 0,
    lost: NOTHING,
    play: { fault: 'shared-lines' },
  },
  { fault: 'output after the result', at: ['pass-on'], code: 0, lost: NOTHING, play: { fault: 'more-behind-result' } },
  {
    fault: 'claude closes its stdin (EPIPE)',
    at: ['executor', 'child'],
    says: 'claude has ended and is not started again: 1 prompt not answered',
    code: 7,
    stdout: 'one\n',
    lost: UNANSWERED,
    play: { fault: 'closes-stdin' },
  },
  {
    fault: 'claude answers no control request of ctxb',
    at: ['executor'],
    code: 0,
    lost: NOTHING,
    play: { fault: 'never-answers' },
  },
  {
    fault: '30 MB on stderr, without a line feed',
    at: ['run-session'],
    says: 'noise noise',
    code: 0,
    lost: NOTHING,
    play: { fault: 'floods-stderr' },
  },
  {
    fault: 'ctxb gets SIGTERM, and claude ignores it: SIGKILL after 5 s',
    at: ['signals', 'conduct'],
    says: '2 prompts not answered',
    code: 143,
    stdout: '',
    lost: UNANSWERED,
    play: {
      fault: 'ignores-sigterm',
      script: '"$@" & until [ -s pid ]; do sleep 0.05; done; kill -TERM $!; wait $!',
    },
  },
  {
    fault: 'ctxb gets SIGTERM while claude starts',
    at: ['run-headless', 'conduct'],
    says: '2 prompts not answered',
    code: 143,
    stdout: '',
    lost: UNANSWERED,
    play: {
      program: (place) => place.path('claude'),
      prepare: (place) =>
        writeFileSync(place.path('claude'), '#!/bin/sh\necho $$ > pid\nkill -TERM $PPID\nexec sleep 60\n', {
          mode: 0o755,
        }),
    },
  },
  {
    fault: 'ctxb gets SIGTERM while claude starts, and claude ignores it: SIGKILL after 5 s',
    at: ['run-headless', 'conduct'],
    says: '2 prompts not answered',
    code: 143,
    stdout: '',
    lost: UNANSWERED,
    play: {
      program: (place) => place.path('claude'),
      prepare: (place) =>
        writeFileSync(
          place.path('claude'),
          '#!/bin/sh\necho $$ > pid\ntrap "" TERM\nkill -TERM $PPID\nexec sleep 60\n',
          {
            mode: 0o755,
          },
        ),
    },
  },
  {
    fault: 'the disk with the record is full (ENOSPC)',
    at: ['run-files'],
    says: 'nothing more is recorded to disk.context.ndjson: ENOSPC',
    code: 0,
    lost: LOG,
    play: { flags: ['--record', 'disk.context.ndjson'], script: loaded('full-disk') },
  },
  {
    fault: 'the disk is full (EFBIG, like ENOSPC and EDQUOT)',
    at: ['run-files', 'notes'],
    says: 'nothing more is written to',
    code: 0,
    lost: NOTES,
    play: { script: 'ulimit -f 1; "$@"' },
  },
  {
    fault: 'the disk is full below `.context` (ENOSPC)',
    at: ['run-files', 'notes'],
    says: 'nothing more is written to',
    code: 0,
    lost: NOTES,
    play: { script: loaded('full-disk') },
  },
  {
    fault: 'the disk is full below the folder of state, with a cost limit for the project (ENOSPC)',
    at: ['cost-keeper'],
    says: "the project's cost limit cannot be followed: ",
    code: 0,
    lost: 'nothing of the run; until the disk has room, the limit does not count its cost',
    play: { flags: ['--project-cost-limit', '5'], script: loaded('full-state') },
  },
  {
    fault: 'ctxb cannot make a folder for its notes (EPERM, EROFS)',
    at: ['notes', 'run-files'],
    says: 'nothing more is written to /sys/ctxb: /sys/ctxb cannot be used',
    code: 0,
    lost: NOTES,
    play: { flags: ['--context-dir', '/sys/ctxb'] },
  },
  {
    fault: 'the record cannot be opened',
    at: ['run-files'],
    says: '--record /nowhere/run.ndjson: cannot be written (ENOENT',
    code: 2,
    stdout: '',
    lost: 'nothing: ctxb does not start claude',
    play: { flags: ['--record', '/nowhere/run.ndjson'] },
  },
  {
    fault: 'stdout is on a full disk (ENOSPC), with `--quiet`',
    at: ['outlet', 'output'],
    says: 'stdout cannot be written: ENOSPC',
    code: 1,
    stdout: '',
    lost: NOT_TAKEN,
    play: { flags: ['--quiet'], script: '"$@" > /dev/full' },
  },
  {
    fault: 'the reader of stdout goes away (EPIPE)',
    at: ['outlet', 'output'],
    code: 0,
    stdout: '',
    lost: NOT_TAKEN,
    // The pipe's other end is closed before anything is written.
    play: { script: 'mkfifo pipe; { "$@" > pipe; } & head -c 0 < pipe; wait $!' },
  },
  {
    fault: 'stdout is closed',
    at: ['outlet'],
    code: 0,
    stdout: '',
    lost: 'output without a reader',
    play: { script: '"$@" >&-' },
  },
  { fault: 'stderr is closed', at: ['run-session'], code: 0, lost: 'notices', play: { script: '"$@" 2>&-' } },
  {
    fault: 'stderr is on a full disk',
    at: ['run-session'],
    code: 0,
    lost: 'notices',
    play: { script: '"$@" 2>/dev/full' },
  },
];
