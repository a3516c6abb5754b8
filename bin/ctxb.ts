#!/usr/bin/env node
import { main } from '../src/cli.ts';

const { stdout, stderr, env } = process;

process.exitCode = await main(process.argv.slice(2), {
  get stdin() {
    // Touching it makes Node open it, which commands without input need not pay for.
    return process.stdin;
  },
  stdout,
  stderr,
  env,
  cwd: process.cwd(),
});
