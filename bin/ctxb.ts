#!/usr/bin/env node
import { constants } from 'node:os';
import { main } from '../src/cli/main.ts';
import { keepCompiled, leave, processIo } from '../src/process-io.ts';

keepCompiled();
const exitCode = await main(process.argv.slice(2), processIo);

/**
 * A shell script goes on after Ctrl-C unless the program that it waits for was ended by the signal: an exit code of 130
 * tells it that the program has used Ctrl-C for something of its own.
 */
process.on('exit', (code) => {
  if (code === 128 + constants.signals.SIGINT) process.kill(process.pid, 'SIGINT');
});
leave(exitCode);
