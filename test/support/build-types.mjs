// Puts the library's types into dist/index.d.ts, and what is public of it into a report. With --renew the report in
// docs/api is what it is now; without it the new one is left in dist/api, for a test to hold against it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';

// Not in dist, which tests copy at any time.
const DECLARATIONS = '.declarations';

execFileSync('node_modules/.bin/tsc', ['-p', 'test/support/tsconfig.library.json'], { stdio: 'inherit' });
mkdirSync('dist/api', { recursive: true });
mkdirSync('docs/api', { recursive: true });

const config = ExtractorConfig.prepare({
  packageJsonFullPath: resolve('package.json'),
  configObjectFullPath: resolve('test/support/build-types.mjs'),
  configObject: {
    projectFolder: resolve('.'),
    mainEntryPointFilePath: resolve(`${DECLARATIONS}/index.d.ts`),
    newlineKind: 'lf',
    compiler: {
      overrideTsconfig: {
        compilerOptions: { target: 'es2023', module: 'nodenext', strict: true, types: ['node'], skipLibCheck: true },
        files: [`${DECLARATIONS}/index.d.ts`],
      },
    },
    apiReport: {
      enabled: true,
      includeForgottenExports: true,
      reportFileName: 'ctxb',
      reportFolder: resolve('docs/api'),
      reportTempFolder: resolve('dist/api'),
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: true, untrimmedFilePath: resolve('dist/index.d.ts') },
    tsdocMetadata: { enabled: false },
    messages: {
      extractorMessageReporting: {
        default: { logLevel: 'error' },
        // All exports are public, and some need no description.
        'ae-missing-release-tag': { logLevel: 'none' },
        'ae-undocumented': { logLevel: 'none' },
        // The report also has types that occur only in public ones.
        'ae-forgotten-export': { logLevel: 'none' },
      },
    },
  },
});
const { errorCount } = Extractor.invoke(config, {
  localBuild: process.argv.includes('--renew'),
  messageCallback: hush,
});
rmSync(DECLARATIONS, { recursive: true });
if (errorCount > 0) process.exitCode = 1;

/** Which compiler it uses, and that the report has changed, is no news: a test says that. */
function hush(message) {
  if (message.category === 'console' && message.logLevel !== 'error') message.logLevel = 'none';
}
