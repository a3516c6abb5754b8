#!/usr/bin/env node
import { main } from '../src/cli.ts';

// The Agent SDK starts one path, without arguments of its own. See bin/ctxb.ts for the getters.
process.exitCode = await main(['shim', ...process.argv.slice(2)], {
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
