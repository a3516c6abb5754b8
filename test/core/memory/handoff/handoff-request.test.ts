import { describe, expect, it } from 'vitest';
import { HANDOFF_SECTIONS, handoffRequest } from '../../../../src/core/governor/relief/handoff-request.ts';
import { parseHandoff } from '../../../../src/core/memory/handoff/check-handoff.ts';

describe('the request', () => {
  const text = handoffRequest({ reason: 'the context is 86% full (172,000 of 200,000 tokens)' });

  it('is short, gives the reason, and asks for an answer instead of a file', () => {
    expect(text.length).toBeLessThanOrEqual(1_500);
    expect(text).toContain('86% full');
    expect(text).toContain('call no tool, write no file');
  });

  it('names exactly the sections, in their order', () => {
    expect(text.match(/^## .*$/gm)).toStrictEqual(HANDOFF_SECTIONS.map((section) => `## ${section}`));
    expect([...parseHandoff(text).sections.keys()]).toStrictEqual([...HANDOFF_SECTIONS]);
  });

  it('stays bounded and gains no heading, for any reason', () => {
    const long = handoffRequest({ reason: `x\n## Goal\n${'y'.repeat(9_000)}` });
    expect(long.length).toBeLessThanOrEqual(1_600);
    expect(long.match(/^## .*$/gm)).toHaveLength(8);
  });
});
