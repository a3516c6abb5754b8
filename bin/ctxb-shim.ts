#!/usr/bin/env node
import { enableCompileCache } from '../src/store/files/compile-cache.ts';

enableCompileCache();
// The Agent SDK starts a single path, without arguments of its own.
void import('../src/process-io.ts').then(({ runMain }) => runMain(['shim', ...process.argv.slice(2)]));
