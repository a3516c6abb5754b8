import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { microUsdOf, priceFor } from '../../src/core/governor/cost/prices.ts';
import { windowIn } from '../../src/core/governor/gauge/window.ts';
import { modelName } from '../../src/core/protocol/model-name.ts';
import { pinnedVersion } from '../differences/pinned-version.ts';
import { helpNames, namesIn, type Surface, surfaceDiff } from './surface.ts';

const FOLDER = new URL('../../fixtures/claude/', import.meta.url);
const read = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Surface;

it('there is a file of the pinned version', () => {
  expect(read(`${pinnedVersion()}.json`).version).toBe(pinnedVersion());
});

/** Models that claude no longer prices: their prices are those of the API's documentation. */
const isForgotten = (model: string) => /^claude-3-(?:opus|sonnet|haiku)/.test(model);

describe.each(readdirSync(FOLDER))('what %s tells of its models', (file) => {
  const { version, models } = read(file);
  /** Not those that claude knows under another name, or asks another model for. */
  const names = Object.keys(models).filter(
    (model) => models[model]?.asked === model && model.startsWith(modelName(model)),
  );
  const usage = { input: 1_000, cacheCreation: 1_000, cacheRead: 1_000, output: 1_000 };

  it('is what the table of windows says', () => {
    const listed = names.filter((model) => windowIn(version, model, true));
    expect(listed.length).toBeGreaterThan(25);
    expect(listed.map((model) => [model, windowIn(version, model, true)])).toEqual(
      listed.map((model) => [model, models[model]?.window]),
    );
  });

  it('is what the list of prices says', () => {
    const costOf = (model: string) => {
      const price = priceFor(model, {}, version);
      return price && microUsdOf(usage, price) / 1_000_000;
    };
    const listed = names.filter((model) => costOf(model) !== undefined && !isForgotten(model));
    expect(listed.length).toBeGreaterThan(25);
    expect(listed.map((model) => [model, costOf(model)])).toEqual(listed.map((model) => [model, models[model]?.usd]));
  });
});

it('names are found in a program', () => {
  const program =
    'x=["PreToolUse","Stop"],y=["PreToolUse","PostToolUse","Stop"],v=({subtype:L("get_plan")}),w={subtype:k("get_usage")},' +
    'm="claude-opus-9-1",n="claude-code-20250219",p="claude-sonnet-",e=s.CLAUDE_CODE_WINDOW+process.env.DISABLE_X1';
  expect(namesIn(program)).toEqual({
    hookEvents: ['PostToolUse', 'PreToolUse', 'Stop'],
    controlMessages: ['get_plan', 'get_usage'],
    models: ['claude-opus-9-1'],
    variables: ['CLAUDE_CODE_WINDOW', 'DISABLE_X1'],
  });
});

it('a help text names options and commands', () => {
  const help =
    'Usage: claude\n\nOptions:\n  -c, --continue      Goes on\n  --model <model>\n                      Takes it\n  mcp                 Servers\n';
  expect(helpNames(help)).toEqual(['--model <model>', '-c, --continue', 'mcp']);
});

it('compares two versions: what is new, removed or changed', () => {
  const [file = ''] = readdirSync(FOLDER);
  const before = read(file);
  const [first = '', ...others] = Object.keys(before.models);
  const figures = before.models[first];
  if (figures === undefined) return expect.unreachable();
  const after = {
    ...before,
    variables: [...before.variables.slice(1), 'CLAUDE_NEW'],
    models: {
      ...Object.fromEntries(others.slice(1).map((model) => [model, before.models[model] ?? figures])),
      [first]: { ...figures, window: 1 },
      'claude-next': figures,
    },
  };
  expect(surfaceDiff(before, before)).toEqual([]);
  expect(surfaceDiff(before, after).toSorted()).toEqual(
    [
      'variables: + CLAUDE_NEW',
      `variables: - ${before.variables[0]}`,
      `models: ${first}: window ${figures.window} became 1`,
      `models: - ${others[0]}`,
      `models: + claude-next ${JSON.stringify(figures)}`,
    ].toSorted(),
  );
});
