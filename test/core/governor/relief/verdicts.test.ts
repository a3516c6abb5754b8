import { describe, expect, it } from 'vitest';
import {
  afterTurn,
  type Driver,
  decisions,
  kinds,
  type Line,
  policyWith,
  resultLine,
  said,
  statusLine,
  syntheticLine,
} from '../../../support/governor.ts';
import { COMPACT_TURNS } from '../../../support/recordings.ts';

/** A `/compact` is on its way, and a prompt waits behind it. */
function compacting(changes?: Parameters<typeof afterTurn>[1]): Driver {
  const driver = afterTurn(160_000, changes);
  driver.prompt('Next.');
  return driver;
}

function verdictOf(lines: readonly Line[]) {
  return decisions(compacting().claude(...lines)).flatMap((decision) =>
    decision.kind === 'compacted' ? [decision.verdict] : [],
  );
}

const failed = (error: string) => [
  statusLine({ status: 'compacting' }),
  statusLine({ compact_result: 'failed', compact_error: error }),
  resultLine({ num_turns: 0, result: error }),
];

describe('the verdict', () => {
  it.each(Object.entries(COMPACT_TURNS).map(([verdict, lines]) => ({ verdict, lines })))(
    '$verdict, as recorded',
    ({ verdict, lines }) => {
      expect(verdictOf(lines)).toEqual([verdict]);
    },
  );

  it.each([
    { name: 'too few messages', lines: failed('Not enough messages to compact.'), verdict: 'empty' },
    { name: 'an answer of nothing but a result', lines: [resultLine({ num_turns: 0, result: '' })], verdict: 'failed' },
    {
      name: 'a prompt too long to be summarised',
      lines: failed('Error during compaction: API Error: 400 prompt is too long: 210000 tokens > 200000 maximum'),
      verdict: 'failed',
    },
    {
      name: 'a refusal that names a message by a number above 500',
      lines: failed('Error during compaction: API Error: 400 messages.512: all messages must have non-empty content'),
      verdict: 'failed',
    },
    {
      name: 'a rate limit',
      lines: failed('Error during compaction: API Error: 429 rate_limit_error'),
      verdict: 'unavailable',
    },
    ...[
      'Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
      'Connection dropped (ECONNRESET)',
      "Can't reach the API server — check your internet or DNS (ENOTFOUND)",
      'Unable to connect to API (ConnectionRefused)',
      'Unable to connect to API. Check your internet connection',
      'Request timed out. Check your internet connection and proxy settings',
      'The API is temporarily unavailable',
    ].map((text) => ({
      name: text,
      lines: failed(`Error during compaction: API Error: ${text}`),
      verdict: 'unavailable',
    })),
    {
      name: 'a user hook',
      lines: failed('Compaction blocked by PreCompact hook: [./guard.sh]: not while tests run'),
      verdict: 'blocked',
    },
    {
      name: 'retries without any answer',
      lines: [
        statusLine({ status: 'compacting' }),
        { type: 'system', subtype: 'api_retry', attempt: 1, error_status: null },
        ...failed('Error during compaction: it broke').slice(1),
      ],
      verdict: 'unavailable',
    },
    { name: 'an internal error', lines: failed('API Error: 500 Internal server error'), verdict: 'unavailable' },
    {
      name: 'retries that came to nothing',
      lines: [
        statusLine({ status: 'compacting' }),
        { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 529 },
        ...failed('Error during compaction: request failed').slice(1),
      ],
      verdict: 'unavailable',
    },
    {
      name: 'commands that are off, in the words of an older version',
      lines: [syntheticLine('Unknown slash command: compact'), resultLine({ num_turns: 0 })],
      verdict: 'refused',
    },
  ])('$name: $verdict', ({ lines, verdict }) => {
    expect(verdictOf(lines)).toEqual([verdict]);
  });

  it('is silent after the timeout', () => {
    const driver = compacting();
    const actions = driver.timeout('operation');
    expect(decisions(actions)).toMatchObject([{ kind: 'compacted', verdict: 'silent' }]);
    expect(said(actions)).toEqual(['Next.']);
  });

  it('is success if only the result after the boundary is missing: nothing else is tried', () => {
    const driver = compacting({ policy: policyWith({ compaction: { maxAttempts: 1 } }) });
    driver.claude(...COMPACT_TURNS.success.slice(0, -1));
    const actions = driver.timeout('operation');
    expect(decisions(actions)).toMatchObject([{ kind: 'compacted', verdict: 'success' }]);
    expect(said(actions)).toEqual(['Next.']);
    expect(driver.state).toMatchObject({ process: { isStillCompacting: true }, relief: { failures: 0 } });
  });

  it('is unavailable after the timeout if claude keeps retrying', () => {
    const driver = compacting();
    driver.claude(statusLine({ status: 'compacting' }), { type: 'system', subtype: 'api_retry', error_status: null });
    expect(decisions(driver.timeout('operation'))).toMatchObject([{ kind: 'compacted', verdict: 'unavailable' }]);
    expect(driver.state).toMatchObject({ process: { isStillCompacting: true }, relief: { failures: 0 } });
  });

  it('comes once: a later timer changes nothing', () => {
    const driver = compacting();
    driver.claude(...COMPACT_TURNS.success);
    expect(kinds(driver.timeout('operation'))).toEqual([]);
  });

  it('includes the cost of the attempt', () => {
    const driver = afterTurn(160_000);
    // What the turn cost is known only from list prices until claude reports.
    driver.claude(resultLine({ total_cost_usd: 0.1 }));
    driver.prompt('Next.');
    const actions = driver.claude(
      ...COMPACT_TURNS.success.slice(0, -1),
      resultLine({ num_turns: 0, total_cost_usd: 0.35 }),
    );
    expect(decisions(actions)).toMatchObject([{ kind: 'compacted', costUsd: 0.25 }]);
  });
});

describe('after the verdict', () => {
  it.each(Object.entries(COMPACT_TURNS).map(([verdict, lines]) => ({ verdict, lines })))(
    '$verdict: the waiting prompt is sent',
    ({ lines }) => {
      const driver = compacting({
        policy: policyWith({ compaction: { maxAttempts: 1 }, handoff: { enabled: false } }),
      });
      const actions = driver.claude(...lines);
      expect(said(actions)).toEqual(['Next.']);
      expect(kinds(actions)).toContain('clear-timer');
      expect(driver.state.operation.phase).toBe('idle');
    },
  );

  it('success: claude is asked for its context', () => {
    const driver = compacting();
    driver.claude(...COMPACT_TURNS.success);
    expect(Object.values(driver.state.process.control.pending)).toContain('context');
    expect(driver.state.gauge.basis).toBe('estimated');
  });

  it.each([
    { verdict: 'failed', failures: 2 },
    { verdict: 'empty', failures: 1 },
    { verdict: 'refused', failures: 1 },
  ] as const)('$verdict: counts as $failures of the 2 failures that are allowed', ({ verdict, failures }) => {
    const driver = compacting();
    driver.claude(...COMPACT_TURNS[verdict]);
    expect(driver.state.relief.failures).toBe(failures);
  });

  it('unavailable: does not count as a failure', () => {
    const driver = compacting();
    driver.claude(...COMPACT_TURNS.unavailable);
    expect(driver.state.relief.failures).toBe(0);
  });
});
