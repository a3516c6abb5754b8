#!/usr/bin/env node
import { main } from '../src/cli/main.ts';
import { keepCompiled, leave, processIo } from '../src/process-io.ts';

keepCompiled();
// The Agent SDK starts one path, without arguments of its own.
leave(await main(['shim', ...process.argv.slice(2)], processIo));
