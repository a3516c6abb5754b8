#!/usr/bin/env node
import { main } from '../src/cli.ts';
import { processIo } from '../src/process-io.ts';

process.exitCode = await main(process.argv.slice(2), processIo);
