import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/store/masks/redact.ts';
import { SECRETS, textOf } from '../../support/secrets.ts';

const kinds = SECRETS.filter(({ masked }) => masked !== undefined);

/** Longer parts of a secret than this tell much of it. */
const MUCH = 8;

describe('a secret that continues in the next block is masked:', () => {
  it.each(kinds)('$kind, wherever it is split', (kind) => {
    const text = textOf(kind);
    const start = text.indexOf(kind.secret);
    for (let at = start + 1; at < start + kind.secret.length; at += 7) {
      const blocks = [`before ${text.slice(0, at)}`, `${text.slice(at)} after`];
      const masked = redact(blocks, { keepLines: true });
      expect(masked, `split at ${at - start}`).toContain('[masked: ');
      expect(masked.split('\n').length).toBe(blocks.join('\n').split('\n').length);
      const parts = [kind.secret.slice(0, at - start), kind.secret.slice(at - start)];
      for (const part of parts) if (part.length > MUCH) expect(masked).not.toContain(part);
    }
  });
});

const TOKEN = `ghp_${'q7Zt2Lw9Xb4Rk1Vd8Ns3'.repeat(2)}`;

it.each([
  { title: 'no block', blocks: [], masked: '' },
  { title: 'one', blocks: [TOKEN], masked: '[masked: GitHub token]' },
  { title: 'none between two', blocks: [`a ${TOKEN}`, `${TOKEN} b`], masked: 'a [masked: GitHub token]\n b' },
  {
    title: 'one over three',
    blocks: [`a ${TOKEN.slice(0, 9)}`, TOKEN.slice(9, 20), `${TOKEN.slice(20)} b`],
    masked: 'a [masked: GitHub token]\n\n b',
  },
  {
    title: 'empty ones in it',
    blocks: [TOKEN.slice(0, 9), '', `${TOKEN.slice(9)} b`],
    masked: '[masked: GitHub token]\n\n b',
  },
  {
    title: 'one over and one in each',
    blocks: [`${TOKEN} ${TOKEN.slice(0, 30)}`, `${TOKEN.slice(30)} ${TOKEN}`],
    masked: '[masked: GitHub token] [masked: GitHub token]\n [masked: GitHub token]',
  },
  { title: 'words only', blocks: ['the key', 'board is', '', 'new'], masked: 'the key\nboard is\n\nnew' },
])('blocks with $title', ({ blocks, masked }) => {
  expect(redact(blocks)).toBe(masked);
});
