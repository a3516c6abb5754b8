import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../src/core/governor/decisions.ts';
import { decisionText } from '../../../../src/messages.ts';
import {
  boundaryLine,
  callLine,
  type Driver,
  drive,
  exitEvent,
  initLine,
  type Line,
  policyWith,
  resultLine,
  runWith,
} from '../../../support/governor.ts';

const MINUTE_MS = 60_000;

interface Found {
  readonly read: number;
  readonly written: number;
  readonly miss?: string;
  readonly model?: string;
}

/** A call, with what it has found in the cache and written to it, and what the API says of that, as public logs of 2.1.199 hold it. */
function call({ read, written, miss, model = 'claude-sonnet-4-5' }: Found): Line {
  const { message, ...line } = callLine(read + written + 4);
  const usage = {
    input_tokens: 4,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: 1,
  };
  const diagnostics = miss === undefined ? null : { cache_miss_reason: { type: miss, cache_missed_input_tokens: 7 } };
  return { ...line, message: { ...(message as object), model, usage, diagnostics } };
}

const WARM = call({ read: 119_000, written: 1_000 });
const COLD: Found = { read: 19_000, written: 102_000 };
const MCP = { mcp_servers: [{ name: 'tickets', status: 'connected' }], tools: ['Bash', 'Read', 'mcp__tickets__find'] };
const NO_MCP = { mcp_servers: [{ name: 'tickets', status: 'pending' }], tools: ['Bash', 'Read'] };

function started(first: Line = initLine()): Driver {
  const driver = drive(runWith({ policy: policyWith({}) }));
  driver.wait(1);
  driver.begin();
  driver.prompt('Do the thing.');
  driver.claude(first, WARM);
  return driver;
}

function breaks({ actions }: Driver) {
  return actions.filter((action) => action.kind === 'cache-lost') as Extract<Decision, { kind: 'cache-lost' }>[];
}

describe('a call that rewrites cached tokens', () => {
  it('reports the cost, and the cause that the API names', () => {
    const driver = started();
    driver.claude(call({ ...COLD, miss: 'tools_changed' }));
    const [found, ...more] = breaks(driver);
    // 101,000 tokens at $3.75 and at $0.30 a million.
    expect(found).toMatchObject({ cause: 'tools', tokens: 101_000, usd: 0.37875, cachedUsd: 0.0303 });
    expect(more).toEqual([]);
    expect(found && decisionText(found)).toBe(
      'the prompt cache was lost: 101,000 tokens written again for $0.38 instead of $0.03; the API says that the tools have changed',
    );
  });

  it.each([
    { miss: 'system_changed', cause: 'system' },
    { miss: 'messages_changed', cause: 'messages' },
    { miss: 'model_changed', cause: 'model' },
    { miss: 'unavailable', cause: 'unknown' },
    { miss: 'previous_message_not_found', cause: 'unknown' },
    { miss: undefined, cause: 'unknown' },
  ] as const)('$miss of the API: $cause', ({ miss, cause }) => {
    const driver = started();
    driver.claude(call({ ...COLD, ...(miss && { miss }) }));
    expect(breaks(driver)).toMatchObject([{ cause }]);
  });

  it('names new tools and servers of claude since the turn before', () => {
    const driver = started(initLine(NO_MCP));
    driver.claude(resultLine());
    driver.prompt('Go on.');
    driver.claude(initLine(MCP), call(COLD));
    expect(breaks(driver)).toMatchObject([
      { cause: 'tools', reason: 'new MCP servers: tickets, new tools: mcp__tickets__find' },
    ]);
  });

  it('names another model', () => {
    const driver = started();
    driver.claude(call({ ...COLD, model: 'claude-opus-4-5' }));
    expect(breaks(driver)).toMatchObject([
      { cause: 'model', reason: 'the model is claude-opus-4-5 instead of claude-sonnet-4-5' },
    ]);
  });

  it('reports content that was removed from the conversation', () => {
    const driver = started();
    driver.claude(call({ read: 19_000, written: 77_000 }));
    expect(breaks(driver)).toMatchObject([{ cause: 'messages', reason: 'the conversation is 24000 tokens shorter' }]);
  });

  it('names a pause within a turn', () => {
    const driver = started();
    driver.wait(6 * MINUTE_MS);
    driver.claude(call({ ...COLD, model: 'claude-opus-4-5' }));
    expect(breaks(driver)).toMatchObject([
      { cause: 'pause', reason: 'there was no call for 6 minutes, and the cache is kept for 5' },
    ]);
  });

  it('names a pause before a prompt, also of a cache that is kept for an hour', () => {
    for (const minutes of [6, 61]) {
      const driver = started();
      const hour = { cache_creation: { ephemeral_1h_input_tokens: 1_000 } };
      const { message, ...line } = WARM as Line & { message: { usage: object } };
      if (minutes > 60)
        driver.claude({ ...line, message: { ...message, id: 'next', usage: { ...message.usage, ...hour } } });
      driver.claude(resultLine());
      driver.wait(minutes * MINUTE_MS);
      driver.prompt('Go on.');
      driver.claude(initLine(), call({ read: 0, written: 121_000 }));
      const kept = minutes > 60 ? 60 : 5;
      const reason = `there was no call for ${minutes} minutes, and the cache is kept for ${kept}`;
      expect(breaks(driver)).toMatchObject([{ cause: 'pause', reason }]);
    }
  });

  it('names a restart of claude', () => {
    const driver = started();
    driver.tell(exitEvent());
    driver.claude(initLine(), call(COLD));
    expect(breaks(driver)).toMatchObject([{ cause: 'restart' }]);
  });
});

describe('no announcement', () => {
  it.each<{ name: string; lines: readonly Line[] }>([
    { name: 'where most of it was found', lines: [call({ read: 61_000, written: 60_000 })] },
    { name: 'of less than the configured cost', lines: [call({ read: 50_000, written: 71_000 })] },
    { name: 'after a compaction', lines: [boundaryLine('auto', 120_000), call({ read: 19_000, written: 101_000 })] },
    { name: 'by a back-end that caches nothing', lines: [callLine(121_000)] },
    { name: 'of a second line of the same call', lines: [{ ...WARM }] },
  ])('$name', ({ lines }) => {
    const driver = started();
    driver.claude(...lines);
    expect(breaks(driver)).toEqual([]);
  });
});
