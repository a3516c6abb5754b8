import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startWorld } from '../support/claude.ts';
import { conversation } from '../support/conversation.ts';
import { prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { findVictoriaMetrics, startVictoriaMetrics } from '../support/victoria-metrics.ts';

const PAGE = readFileSync(new URL('../../docs/fleets.md', import.meta.url), 'utf8');
const [, QUERIES = ''] = /## Queries[\s\S]*?```promql\n([\s\S]*?)```/.exec(PAGE) ?? [];

const program = findVictoriaMetrics(process.env);

it.skipIf(program === undefined)(
  'a real receiver takes two runs, and answers the queries of docs/fleets.md (needs victoria-metrics >= 1.92)',
  async () => {
    await using receiver = await startVictoriaMetrics(program ?? '');
    for (const turns of [[4, 4, 3], [2]]) {
      await using world = await startWorld(conversation({ turns, growBy: 18_000 }));
      const run = await runCtxb(world, {
        flags: prompts(...turns.map((_, turn) => `prompt ${turn}`)),
        claude: SMALL_WINDOW,
        env: { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: receiver.endpoint, OTEL_SERVICE_NAME: 'nightly' },
      });
      expect(run.code).toBe(0);
      expect(run.stderr).not.toContain('telemetry');
    }
    const answers = await Promise.all(QUERIES.trim().split('\n').map(receiver.query));
    expect(answers).toEqual([
      [{ metric: { service_name: 'nightly' }, value: expect.closeTo(1.08, 1) }],
      [{ metric: { ctxb_compaction_verdict: 'success' }, value: 1 }],
    ]);
  },
);
