import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * unit: pure functions and single modules. cli: the built program against tiny programs that play a claude.
 * e2e: the real claude against the stand-in on loopback; the machine has to start it many times, so it gets time.
 */
export default defineConfig({
  root,
  test: {
    // Also the processor that vitest would leave free: most tests wait for processes that they have started.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          root,
          include: ['test/**/*.test.ts'],
          exclude: ['test/cli/**', 'test/e2e/**'],
          testTimeout: 30_000,
        },
      },
      { test: { name: 'cli', root, include: ['test/cli/**/*.test.ts'], testTimeout: 30_000 } },
      { test: { name: 'e2e', root, include: ['test/e2e/**/*.test.ts'], testTimeout: 90_000 } },
    ],
  },
});
