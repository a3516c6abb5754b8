import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

/** Names the files that took longest when all tests are done. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const took = modules.map((module) => ({ path: module.relativeModuleId, ms: module.diagnostic().duration }));
    const slowest = took.sort((a, b) => b.ms - a.ms).slice(0, SHOWN);
    const lines = slowest.map(({ path, ms }) => `${(ms / 1_000).toFixed(1).padStart(8)} s  ${path}`);
    console.log(`\nThe slowest of ${modules.length} files:\n${lines.join('\n')}`);
  }
}
