#!/usr/bin/env node
import { main } from '../src/cli.ts';

// Opening stdin costs time, and the current folder may be gone: both are looked at only when they are needed.
process.exitCode = await main(process.argv.slice(2), {
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  get cwd() {
    return process.cwd();
  },
});
