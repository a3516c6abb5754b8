import { expect, it } from 'vitest';
import { childArguments } from '../../../src/claude/claude-arguments.ts';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import { curatorConfig, curatorInvocation } from '../../../src/flow/curator/curate.ts';
import { budgetArguments } from '../../../src/run/headless-run.ts';

it.each([
  { name: 'without settings', settings: undefined },
  { name: 'with settings', settings: '{"env":{}}' },
  { name: 'with settings that begin with a dash', settings: '-s.json' },
])('starts a claude that can only read, $name', ({ settings }) => {
  const invocation = curatorInvocation('haiku', settings);
  const args = childArguments(invocation);
  const given = (option: string) => (args.includes(option) ? args[args.indexOf(option) + 1] : undefined);
  expect(invocation).toMatchObject({
    prompt: undefined,
    ignoredWords: [],
    jsonSchema: true,
    sessionPersistence: false,
  });
  expect(given('--model')).toBe('haiku');
  expect(given('--tools')).toBe('Read,Grep,Glob');
  expect(given('--permission-mode')).toBe('default');
  expect(given('--settings')).toBe(settings);
  expect(args).toContain('--strict-mcp-config');
});

it.each([
  { name: 'its own limit', limitUsd: undefined, expected: 0.05 },
  { name: 'the smaller one of the user', limitUsd: 0.01, expected: 0.01 },
  { name: 'not the larger one of the user', limitUsd: 5, expected: 0.05 },
])('has $name, to which claude is held', ({ limitUsd, expected }) => {
  const config = { ...DEFAULTS, observe: true, cost: { ...DEFAULTS.cost, limitUsd, projectLimitUsd: 9 } };
  const { cost, ...rest } = curatorConfig(config);
  expect(cost).toMatchObject({ limitUsd: expected, projectLimitUsd: 9, onLimit: 'stop' });
  expect(budgetArguments(cost, false, { run: 0, project: 0 })).toEqual(['--max-budget-usd', expected.toFixed(6)]);
  expect(rest).toMatchObject({ observe: false, memory: { enabled: false }, handoff: { enabled: false } });
});
