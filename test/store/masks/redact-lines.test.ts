import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/store/masks/redact.ts';
import { createRandom } from '../../support/random.ts';

/** Put together here so that no scanner finds a secret in this file. */
const NOISE = 'q7Zt2Lw9Xb4Rk1Vd8Ns3Hf6Jm5Pc0Gy'.repeat(2);
const dashes = (what: string) => `-----${what} ${'RSA'} PRIVATE KEY-----`;

const PIECES = [
  NOISE,
  NOISE.slice(0, 20),
  dashes('BEGIN'),
  dashes('END'),
  `ghp_${NOISE.slice(0, 36)}`,
  'authorization:',
  'Bearer',
  'password =',
  '"secret":',
  'export TOKEN=',
  'plain words',
  '',
  '\\n',
  '12\t',
  '-----',
] as const;

describe('with lines kept', () => {
  it('any text keeps its number of lines, and masking is idempotent', () => {
    const faults = Array.from({ length: 2_000 }, (_, at) => at + 1).flatMap((seed) => {
      const random = createRandom(seed);
      const pieces = Array.from({ length: random.whole(1, 30) }, () => random.pick(PIECES));
      const text = pieces.map((piece) => piece + random.pick(['\n', '\n', '\r\n', ' ', ''])).join('');
      const masked = redact(text, { keepLines: true });
      const isSame = masked.split('\n').length === text.split('\n').length;
      return isSame && redact(masked, { keepLines: true }) === masked ? [] : [seed];
    });
    expect(faults).toEqual([]);
  });
});
