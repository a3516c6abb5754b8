import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import { GRID, readPolicy } from '../../../src/replay/what-if/read-policy.ts';

const read = (content: unknown) => readPolicy({ path: 'policy.json', content }, 'policy.json');

describe('a policy to try', () => {
  it('says nothing: everything is as by default', () => {
    expect(read({})).toEqual({
      whatIf: { name: 'policy.json', policy: DEFAULTS, none: false, landing: undefined, native: undefined },
      findings: [],
    });
  });

  it('has the keys of a configuration and a few of its own', () => {
    const content = {
      name: 'early',
      landing: 20_000,
      native: '2.1.20',
      none: true,
      window: 100_000,
      thresholds: { compact: '60%' },
      tools: { Read: '5%' },
      cost: { prices: { mine: { input: 1, output: 2 } } },
    };
    expect(read(content)).toMatchObject({
      whatIf: {
        name: 'early',
        landing: 20_000,
        native: '2.1.20',
        none: true,
        policy: {
          window: 100_000,
          thresholds: { compact: 0.6 },
          tools: { byTool: { Read: 0.05 } },
          cost: { prices: { mine: { input: 1_000_000, cacheRead: 100_000 } } },
        },
      },
      findings: [],
    });
  });

  it.each([
    {
      content: { landing: 999 },
      message: 'landing: expected a whole number of tokens, 1000 or more, found 999 (policy.json)',
    },
    { content: { landing: '50%' }, message: 'landing: expected a whole number of tokens' },
    { content: { native: 'newest' }, message: 'native: expected a version of Claude Code such as "2.1.20", "off"' },
    { content: { native: 0.5 }, message: 'native: expected a version' },
    { content: { none: 'yes' }, message: 'none: expected true or false, found "yes"' },
    { content: { name: ' ' }, message: 'name: expected a text' },
    {
      content: { landig: 20_000 },
      message: 'landig: expected a key of a configuration, or one of name, landing, native, none',
    },
    { content: { landig: 20_000 }, message: 'did you mean landing?' },
    { content: { thresholds: { compat: 0.5 } }, message: 'did you mean thresholds.compact?' },
    {
      content: { thresholds: { compact: 1.5 } },
      message: 'thresholds.compact: expected "economic", or a fraction of the window',
    },
    { content: { thresholds: { warn: 0.9, compact: 0.6 } }, message: 'thresholds.warn: expected less than' },
    { content: [], message: 'policy.json: expected an object with' },
    { content: null, message: 'policy.json: expected an object with' },
  ])('$content is refused: $message', ({ content, message }) => {
    const { findings } = read(content);
    expect(findings.map((found) => found.message)).toEqual([expect.stringContaining(message)]);
  });

  it.each(GRID)('of the grid is a good one: $name', (content) => {
    expect(read(content).findings).toEqual([]);
  });
});
