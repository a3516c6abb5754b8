#!/usr/bin/env node
import { constants } from 'node:os';
import { enableCompileCache } from '../src/store/files/compile-cache.ts';

enableCompileCache();
void import('../src/process-io.ts').then(({ runMain }) => runMain(process.argv.slice(2)));

/**
 * Ends ctxb by SIGINT after Ctrl-C. A shell script continues after Ctrl-C unless the signal ended its program: an exit
 * code of 130 means that the program used Ctrl-C for itself.
 */
process.on('exit', (code) => {
  if (code === 128 + constants.signals.SIGINT) process.kill(process.pid, 'SIGINT');
});
