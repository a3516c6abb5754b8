import { describe, expect, it } from 'vitest';
import {
  type HandoffHead,
  parseHandoffFile,
  renderHandoffFile,
} from '../../../../src/core/memory/handoff/handoff-file.ts';
import { randomTexts } from '../../../support/notes.ts';

const HEAD: HandoffHead = {
  version: 1,
  t: Date.UTC(2026, 10, 21, 8, 54, 3, 123),
  session: 's1',
  reason: 'the context is 85% full: "too much"',
  by: 'agent',
  tokens: 170_000,
  window: 200_000,
  checks: ['The section "Done" is missing.'],
};

describe('a handoff file', () => {
  it('has its head above the document', () => {
    expect(renderHandoffFile(HEAD, '\n## Goal\nmend it\n\n')).toBe(
      [
        '---',
        'version: 1',
        'time: "2026-11-21T08:54:03.123Z"',
        'session: "s1"',
        'reason: "the context is 85% full: \\"too much\\""',
        'by: "agent"',
        'tokens: 170000',
        'window: 200000',
        'checks: ["The section \\"Done\\" is missing."]',
        '---',
        '',
        '## Goal\nmend it\n',
      ].join('\n'),
    );
  });

  it.each([
    { title: 'as it is', head: HEAD },
    { title: 'by memory, with nothing known', head: { ...HEAD, by: 'memory', tokens: null, window: null, checks: [] } },
    { title: 'without a time', head: { ...HEAD, t: 0 } },
  ] as const)('is read again, $title', ({ head }) => {
    const body = '## Goal\nmend it\n\n---\nand more';
    expect(parseHandoffFile(renderHandoffFile(head, body))).toStrictEqual({ session: 's1', body });
  });

  it('keeps its shape for any texts', () => {
    for (const text of randomTexts(71, 400)) {
      const { session } = parseHandoffFile(renderHandoffFile({ ...HEAD, session: `s${text}`, reason: text }, text));
      expect(session).toMatch(/^s/);
    }
  });

  it.each([
    { title: 'no head', text: '## Goal\nx' },
    { title: 'a head of others', text: '---\ntitle: x\n---\n## Goal' },
    { title: 'a head without end', text: '---\nversion: 1\n## Goal' },
    { title: 'a later version', text: '---\nversion: 2\nsession: "s"\nby: "agent"\n---\n\n## Goal' },
    { title: 'nothing', text: '' },
  ])('$title: the whole text is the document', ({ text }) => {
    expect(parseHandoffFile(text)).toStrictEqual({ session: undefined, body: text });
  });
});
