import { describe, expect, it } from 'vitest';
import type { ReplayReport } from '../../src/replay/sums.ts';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb } from './fakes.ts';

const RELIEVED = ['compact.ndjson', 'native-mid-turn.session.jsonl'].map(fixture);
const PLAIN = fixture('tool-turn.ndjson');

describe('replay --retention', () => {
  it('prints tables over all recordings and a line for each with a relief', async () => {
    await using place = await createPlace();
    const { code, stdout } = await ctxb(place, ['replay', '--retention', ...RELIEVED, PLAIN]);
    const text = stdout.toString();
    expect(code).toBe(0);
    expect(text).toMatch(/^What the next request contained, over 2 reliefs \(compactions and handoffs\)$/m);
    expect(text).toMatch(/^ +known +by claude +with ctxb/m);
    expect(text).toMatch(/^ {2}prompts +\d+ +\d+ +\d+% +\d+ +\d+%$/m);
    const rows = text
      .slice(text.indexOf('By session'))
      .split('\n')
      .slice(2, 2 + RELIEVED.length);
    expect(rows).toEqual([expect.stringMatching(/^compact\.ndjson /), expect.stringMatching(/^Do .* +1 .* \d+%$/)]);
    expect(text).not.toContain(PLAIN);
  });

  it('reports that there was no relief', async () => {
    await using place = await createPlace();
    const { stdout } = await ctxb(place, ['replay', '--retention', PLAIN]);
    expect(stdout.toString()).toBe('no compaction or handoff with a request after it\n');
  });

  it('with --json adds it to each session, and the sums to the report', async () => {
    await using place = await createPlace();
    const { stdout } = await ctxb(place, ['replay', '--retention', '--json', ...RELIEVED, PLAIN]);
    const { sessions, retention } = JSON.parse(stdout.toString()) as ReplayReport;
    const reliefs = sessions.flatMap((session) => session.retention ?? []);
    expect(sessions[2]?.retention).toEqual([]);
    expect(retention?.reliefs).toBe(2);
    expect(retention?.known.prompts.all).toBe(reliefs.reduce((sum, { all }) => sum + all.prompts, 0));
    for (const { all, kept, gone } of reliefs) {
      const lost = Object.values(all).reduce((a, b) => a + b, 0) - Object.values(kept).reduce((a, b) => a + b, 0);
      expect(gone).toHaveLength(lost);
    }
  });

  it('is omitted by default', async () => {
    await using place = await createPlace();
    const { stdout } = await ctxb(place, ['replay', '--json', ...RELIEVED]);
    expect(stdout.toString()).not.toContain('"retention"');
  });
});
