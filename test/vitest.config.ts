import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SlowestFiles } from './support/slowest-files.ts';
import { SOAK_FILES } from './support/soak-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** All test files of a process share its modules, so no test may change them. */
const isolate = false;

/** As in `size.ts`, which cannot be imported here. */
const isSoak = !['', '0'].includes(process.env.CTXB_SOAK ?? '');

const soakFiles = Object.keys(SOAK_FILES);

/** Projects that start programs stop those of a failed test. */
const programs = {
  isolate,
  setupFiles: ['test/support/end-left.ts'],
  exclude: isSoak ? [] : soakFiles,
};

/** Played jobs and random inputs. `npm run test:fast` leaves them out. */
const PLAYED = [
  'test/core/governor/properties.test.ts',
  'test/core/governor/relief/bound.test.ts',
  'test/core/governor/relief/reported.test.ts',
  'test/replay/light/light-replay.test.ts',
  'test/run/fuzz.test.ts',
];

/** `npm run soak:ci`: nothing but the tests that take more then, and all that they take. */
const grown = process.env.CTXB_SOAK === 'only' ? testsThatGrow() : undefined;

/**
 * unit: pure functions and single modules. played: the few of these that take as long as all others. cli: the built
 * program against tiny programs that play a claude.
 * e2e: the real claude against the stand-in on loopback; the machine has to start it many times, so it gets time.
 */
export default defineConfig({
  root,
  test: {
    // Most tests wait for programs, which wait for each other: more of them at a time than there are processors. Projects
    // go by name: the many short files of unit are last, and fill what the last long ones of e2e leave.
    maxWorkers: availableParallelism() * 2,
    // Compiling the modules is a tenth of the time of unit: a file whose text has not changed is compiled once.
    experimental: { fsModuleCache: true },
    reporters: ['default', new SlowestFiles()],
    projects: [
      {
        test: {
          name: 'unit',
          root,
          include: grown ?? ['test/**/*.test.ts'],
          exclude: ['test/cli/**', 'test/e2e/**', ...PLAYED],
          ...within(60_000),
          isolate,
        },
      },
      {
        test: {
          name: 'played',
          root,
          include: grown?.filter((name) => PLAYED.includes(name)) ?? PLAYED,
          ...within(60_000),
          isolate,
        },
      },
      { test: { name: 'cli', root, include: testsOf('cli'), ...within(60_000), ...programs } },
      { test: { name: 'e2e', root, include: testsOf('e2e'), ...within(180_000), ...programs } },
    ],
  },
});

/** Hooks get the time of a test. The limit only stops tests that hang. */
function within(ms: number) {
  return { testTimeout: ms, hookTimeout: ms };
}

function testsOf(project: string): string[] {
  return grown?.filter((name) => name.startsWith(`test/${project}/`)) ?? [`test/${project}/**/*.test.ts`];
}

function testsThatGrow(): string[] {
  const names = readdirSync(`${root}/test`, { recursive: true, encoding: 'utf8' }).map((name) => `test/${name}`);
  const tests = names.filter((name) => name.endsWith('.test.ts'));
  const grow = (name: string) => readFileSync(`${root}/${name}`, 'utf8').includes('support/size.ts');
  return tests.filter((name) => soakFiles.includes(name) || grow(name));
}
