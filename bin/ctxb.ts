#!/usr/bin/env node
import { enableCompileCache } from '../src/store/files/compile-cache.ts';

enableCompileCache();
void import('../src/process-io.ts').then(({ runMain }) => runMain(process.argv.slice(2)));
