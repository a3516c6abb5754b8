import type { Io } from './io.ts';

/** The process's own. Opening stdin costs time, and the current folder may be gone: both are looked at only when they are needed. */
export const processIo: Io = {
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  get cwd() {
    return process.cwd();
  },
};
