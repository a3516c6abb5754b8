/**
 * Files that only a soak runs, since they start the real claude or wait for long, and the test that tries their kind
 * every day.
 */
export const SOAK_FILES: Readonly<Record<string, string>> = {
  'test/e2e/order-of-reliefs.test.ts': 'test/core/governor/properties.test.ts',
  'test/e2e/flow-report.test.ts': 'test/flow/report-run.test.ts',
  'test/e2e/outcome-real.test.ts': 'test/outcome/outcome.test.ts',
  'test/e2e/plugin-queued.test.ts': 'test/mod/terminal.test.ts',
  'test/e2e/sdk-readme.test.ts': 'test/e2e/sdk.test.ts',
  'test/e2e/exact-withheld.test.ts': 'test/e2e/exact-mod.test.ts',
  'test/e2e/exact-resume.test.ts': 'test/e2e/exact-mod.test.ts',
  'test/e2e/mods-checked.test.ts': 'test/e2e/plugin.test.ts',
  'test/e2e/killed-in-relief.test.ts': 'test/e2e/recovery.test.ts',
  'test/e2e/library.test.ts': 'test/library/create-governor.test.ts',
  'test/e2e/limits-spent.test.ts': 'test/config/limits.test.ts',
  'test/e2e/load.test.ts': 'test/cli/load.test.ts',
  'test/e2e/memory-in-odd-places.test.ts': 'test/e2e/working-memory.test.ts',
  'test/e2e/prices.test.ts': 'test/e2e/whole-results.test.ts',
  'test/e2e/replay.test.ts': 'test/cli/replay.test.ts',
  'test/e2e/session-log.test.ts': 'test/claude/claude-log.test.ts',
  'test/e2e/three-runs.test.ts': 'test/e2e/outside.test.ts',
  'test/e2e/told-inside.test.ts': 'test/e2e/cost.test.ts',
  'test/cli/kill.test.ts': 'test/store/sessions/session-folder-crash.test.ts',
  'test/cli/stall.test.ts': 'test/e2e/stall.test.ts',
};
