import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { Decision } from '../../../src/core/governor/decisions.ts';
import { createFlowProgress } from '../../../src/flow/report/flow-progress.ts';
import type { FlowWatcher, StepNews } from '../../../src/flow/run/conduct-flow.ts';
import { PLAIN } from '../../../src/report/style.ts';
import { flowStep } from '../../support/packs.ts';
import { stepEnd } from '../../support/step-end.ts';

const [ONE, TWO] = [flowStep({ id: 'one' }), flowStep({ id: 'two' })];
const DONE: StepNews = { step: ONE, kind: 'done', end: stepEnd() };
const STARTED: StepNews = { step: ONE, kind: 'started' };

interface Watched {
  readonly columns?: number;
  readonly quiet?: boolean;
}

/** What is written while something happens. */
function written(happens: (progress: FlowWatcher) => void, { columns, quiet = false }: Watched = {}) {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { columns });
  const progress = createFlowProgress(stderr, PLAIN, quiet);
  happens(progress);
  return String(stderr.read() ?? '');
}

it.each([
  { title: 'a start', news: STARTED, says: 'started' },
  { title: 'the end', news: DONE, says: 'done: 1.2 s, 2 calls, at most 31,000 tokens, $0.25' },
  {
    title: 'the end of a long one',
    news: { kind: 'done', end: stepEnd({ duration_ms: 61_000 }) },
    says: 'done: 1 min 1 s, 2 calls, at most 31,000 tokens, $0.25',
  },
  {
    title: 'a failure, on one line',
    news: { kind: 'failed', end: stepEnd({ exit_code: 1, error: 'no\nsuch \u001b[31mthing' }) },
    says: 'failed: no such [31mthing (1.2 s, 2 calls, at most 31,000 tokens, $0.25)',
  },
  {
    title: 'one before the first call',
    news: {
      kind: 'failed',
      end: stepEnd({ exit_code: 1, error: 'x'.repeat(500), calls: 0, peak_tokens: 0, cost_usd: 0 }),
    },
    says: `failed: ${'x'.repeat(197)}... (1.2 s, 0 calls, $0.00)`,
  },
  {
    title: 'a stop',
    news: { kind: 'stopped', end: stepEnd({ exit_code: 130, calls: 1 }) },
    says: 'stopped (1.2 s, 1 call, at most 31,000 tokens, $0.25)',
  },
] as { title: string; news: StepNews; says: string }[])('reports $title', ({ news, says }) => {
  expect(written((progress) => progress.news({ ...news, step: ONE }))).toBe(`ctxb: [one] ${says}\n`);
});

it('leaves skipped steps to the end of the flow', () => {
  expect(written((progress) => progress.news({ step: TWO, kind: 'skipped' }))).toBe('');
});

it('prefixes notices with the name of the step', () => {
  const said = written((progress) => {
    const { notice, relay, decision } = progress.watcher(ONE);
    notice('the disk is full');
    relay('warning of claude');
    // How to go on is the flow's to say.
    decision({ kind: 'left-undone', prompts: ['a'] } as unknown as Decision);
  });
  expect(said).toBe('ctxb: [one] the disk is full\n[one] warning of claude\n');
});

it('wraps a long notice between words', () => {
  const said = written((progress) => progress.watcher(ONE).notice('the disk is full, and nothing more is written'), {
    columns: 40,
  });
  expect(said).toBe('ctxb: [one] the disk is full, and\n      nothing more is written\n');
});

it("prints only claude's stderr with --quiet", () => {
  const said = written(
    (progress) => {
      progress.news(STARTED);
      progress.watcher(ONE).notice('the disk is full');
      progress.watcher(ONE).relay('warning of claude');
      progress.news(DONE);
    },
    { quiet: true },
  );
  expect(said).toBe('[one] warning of claude\n');
});
