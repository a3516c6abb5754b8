import { PRESETS } from '../../src/flow/pack/budgets.ts';
import { pack } from '../../src/flow/pack/pack.ts';
import { flowStep, packItem } from '../support/packs.ts';
import { createRandom } from '../support/random.ts';
import { alternate, printRatios, sized, timeOf } from './measure.ts';

const STEPS = 10_000;
const ROUNDS = sized(40);

/** How long the briefing of a step takes after very many others, beside writing all of them down. */
export async function benchPacks(): Promise<void> {
  const random = createRandom(1);
  const history = Array.from({ length: STEPS }, (_, index) =>
    packItem({
      stepId: `step-${index}`,
      agent: random.pick([undefined, 'code-critic', 'adr-author', 'fixer', 'doc-writer']),
      output: `What was done, and why it is so. ${index} `.repeat(random.whole(1, 80)),
    }),
  );
  const runs = {
    'JSON.stringify of the history': async () => timeOf(() => JSON.stringify(history)),
    'a pack of it': async () => timeOf(() => pack(flowStep(), history, PRESETS.balanced)),
  };
  printRatios(`A pack of a history of ${STEPS} steps`, await alternate(runs, ROUNDS), 'ms');
}
