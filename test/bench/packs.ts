import { PRESETS } from '../../src/flow/pack/budgets.ts';
import { pack } from '../../src/flow/pack/pack.ts';
import { flowStep, packItem } from '../support/packs.ts';
import { createRandom } from '../support/random.ts';
import { quantile } from './measure.ts';

const STEPS = 10_000;
const ROUNDS = 40;

/** How long the briefing of a step takes after very many others. */
export function benchPacks(): void {
  const random = createRandom(1);
  const history = Array.from({ length: STEPS }, (_, index) =>
    packItem({
      stepId: `step-${index}`,
      agent: random.pick([undefined, 'code-critic', 'adr-author', 'fixer', 'doc-writer']),
      output: `What was done, and why it is so. ${index} `.repeat(random.whole(1, 80)),
    }),
  );
  const times = Array.from({ length: ROUNDS }, () => {
    const begun = performance.now();
    pack(flowStep(), history, PRESETS.balanced);
    return performance.now() - begun;
  });
  const figures = [quantile(times, 0.5), Math.max(...times)].map((ms) => `${ms.toFixed(1)} ms`);
  console.log(`\nA pack of a history of ${STEPS} steps: median ${figures[0]}, slowest of ${ROUNDS} ${figures[1]}`);
}
