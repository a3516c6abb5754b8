import { redact } from '../../src/store/masks/redact.ts';
import { createRandom } from '../support/random.ts';
import { SECRETS, textOf as secretIn } from '../support/secrets.ts';
import { textOf } from './corpus-text.ts';
import { alternate, printRatios, sized, timeOf } from './measure.ts';

const LENGTH = 800_000;
const ROUNDS = sized(15);

/** How long it takes to mask a text of 800,000 characters, whatever stands in it. */
export async function benchMasking(): Promise<void> {
  const plain = textOf(LENGTH, true, createRandom(1));
  const secrets = SECRETS.map(secretIn).join('\n');
  const texts = {
    'text without a hint of a secret': plain.replaceAll(/[-:"<=_]/g, ' '),
    'text as tools print it': plain,
    'the same in JSON': JSON.stringify(plain).slice(0, LENGTH),
    'the same with a secret of each kind': secrets + plain.slice(secrets.length),
    'nothing but secrets': `${secrets}\n`.repeat(LENGTH / secrets.length),
  };
  const runs = Object.entries(texts).map(([name, text]) => [name, async () => timeOf(() => redact(text))] as const);
  printRatios(`Masking ${LENGTH} characters`, await alternate(Object.fromEntries(runs), ROUNDS), 'ms');
}
