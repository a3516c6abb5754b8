#!/usr/bin/env node
import { constants } from 'node:os';
import { enableCompileCache } from '../src/store/files/compile-cache.ts';

enableCompileCache();
void import('../src/process-io.ts').then(({ runMain }) => runMain(process.argv.slice(2)));

/**
 * A shell script goes on after Ctrl-C unless the program that it waits for was ended by the signal: an exit code of 130
 * tells it that the program has used Ctrl-C for something of its own.
 */
process.on('exit', (code) => {
  if (code === 128 + constants.signals.SIGINT) process.kill(process.pid, 'SIGINT');
});
