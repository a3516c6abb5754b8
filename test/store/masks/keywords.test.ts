import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/store/masks/redact.ts';
import { SECRET_RULES } from '../../../src/store/masks/secret-rules.ts';
import { createRandom } from '../../support/random.ts';
import { sampler } from '../../support/sampler.ts';
import { SECRETS, textOf } from '../../support/secrets.ts';
import { sized } from '../../support/size.ts';

const rules = SECRET_RULES.map((rule, index) => ({ ...rule, index, name: `${index}: ${rule.what}` }));
const SAMPLES = sized(1_500, 5_000);

const SAMPLES_OF = rules.map(({ pattern, index }) => {
  const samples = Array.from({ length: SAMPLES }, sampler(pattern, createRandom(index)));
  return samples.filter((text) => text.search(pattern) >= 0);
});

const samplesOf = (index: number): readonly string[] => SAMPLES_OF[index] ?? [];

/** With every pattern tried on every text. */
function redactWithoutKeywords(text: string): string {
  const kept = SECRET_RULES.map(({ keywords }) => keywords);
  for (const rule of SECRET_RULES) Object.assign(rule, { keywords: [''] });
  const masked = redact(text);
  for (const [index, keywords] of kept.entries()) Object.assign(SECRET_RULES[index] ?? {}, { keywords });
  return masked;
}

describe('each match of a rule contains one of its keywords, and each of them is needed:', () => {
  it.each(rules)('$name', ({ pattern, keywords, index }) => {
    const found = samplesOf(index).map((sample) => {
      const searched = pattern.ignoreCase ? sample.toLowerCase() : sample;
      return keywords.filter((keyword) => keyword !== '' && searched.includes(keyword)).join(' ');
    });
    expect(found.length).toBeGreaterThan(SAMPLES / 4);
    expect(found).not.toContain('');
    for (const keyword of keywords) expect(found).toContain(keyword);
    expect(keywords.join('')).not.toMatch(/[[\]\s]/);
  });
});

it('masking gives the same result as without keywords', () => {
  const random = createRandom(7);
  const secrets = [...SAMPLES_OF.flat(), ...SECRETS.map(textOf)];
  const between = [' ', '\n', '', '=', ': ', '"', '%20', 'İ', 'ſ', 'token', '…'] as const;
  for (let round = sized(1_000, 10_000); round > 0; round--) {
    const parts = Array.from({ length: random.whole(1, 4) }, () => {
      const secret = secrets[random.whole(0, secrets.length - 1)] ?? '';
      return random.pick(between) + (random.chance(0.1) ? encodeURIComponent(secret) : secret);
    });
    const text = parts.join('');
    expect(redact(text)).toBe(redactWithoutKeywords(text));
  }
});
