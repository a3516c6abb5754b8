import { Command } from 'commander';
import { expect, it } from 'vitest';

import { configFlags, define } from '../../src/cli/run.ts';

function flags(...args: string[]) {
  const command = new Command();
  define(command, () => {});
  command.action(() => {});
  const given = configFlags(command.parse(args, { from: 'user' }).opts());
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

it.each([
  { args: [], expected: {} },
  { args: ['--compaction', 'exact'], expected: { 'compaction.how': 'exact' } },
  { args: ['--no-compaction'], expected: { 'compaction.enabled': false } },
  {
    args: ['--compaction', 'summary', '--no-mid-turn'],
    expected: { 'compaction.how': 'summary', 'midTurn.enabled': false },
  },
  {
    args: ['--compaction', 'exact', '--no-compaction'],
    expected: { 'compaction.how': 'exact', 'compaction.enabled': false },
  },
  {
    args: ['--no-compaction', '--compaction', 'exact'],
    expected: { 'compaction.how': 'exact', 'compaction.enabled': false },
  },
])('$args reports $expected and nothing else', ({ args, expected }) => {
  expect(flags(...args)).toEqual(expected);
});
