import { describe, expect, it } from 'vitest';
import { UNCALIBRATED } from '../../../../src/core/governor/gauge/estimator.ts';
import {
  largestResultsText,
  NO_TOOLS,
  runningToolTitles,
  type Tools,
  toolsAfter,
} from '../../../../src/core/governor/relief/tool-results.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { boundaryLine, callLine, initLine, type Line, resultLine, userLine } from '../../../support/governor.ts';

function use(id: string, name: string, input: object, more: Line = {}): Line {
  const line = callLine(20_000, more);
  return { ...line, message: { ...(line.message as object), content: [{ type: 'tool_use', id, name, input }] } };
}

function result(id: string, text: string, more: Line = {}): Line {
  return userLine([{ type: 'tool_result', tool_use_id: id, content: text }], more);
}

function refilled(...lines: readonly Line[]): Tools {
  return toolsOf(false, lines);
}

/** @param tracksContents whether contents are tracked. Each subagent costs 9,000 micro-dollars. */
function toolsOf(tracksContents: boolean, lines: readonly Line[]): Tools {
  const at = { now: 0, calls: 0, kept: [], calibration: UNCALIBRATED, tracksContents };
  return lines.reduce<Tools>(
    (tools, line) => toolsAfter(tools, decodeObject(line), { ...at, cutOf: () => 0, costOf: () => 9_000 }),
    NO_TOOLS,
  );
}

describe('the contents that filled the context', () => {
  it('are counted by tool and file, largest first', () => {
    const refill = refilled(
      ...[use('1', 'Read', { file_path: 'a.ts' }), result('1', 'x'.repeat(10))],
      ...[use('2', 'Bash', { command: 'make' }), result('2', 'x'.repeat(30))],
      ...[use('3', 'Read', { file_path: 'a.ts' }), result('3', 'x'.repeat(15))],
      ...[use('4', 'Grep', { path: 'src' }), result('4', 'x')],
      ...[use('5', 'Glob', {}), result('5', 'xx')],
    );
    expect(largestResultsText(refill)).toBe('Bash (30 characters), Read a.ts (25 characters), Glob (2 characters)');
  });

  it.each([
    { name: 'a compaction', line: boundaryLine('auto', 1) },
    { name: 'a cleared conversation', line: { type: 'conversation_reset', session_id: 's1' } },
  ])('is forgotten after $name', ({ line }) => {
    expect(refilled(use('1', 'Bash', {}), result('1', 'x'), line)).toEqual(NO_TOOLS);
  });

  it('exclude results of subagents, and unrequested results', () => {
    const inside = { parent_tool_use_id: 'toolu_9' };
    const refill = refilled(use('1', 'Bash', {}, inside), result('1', 'x', inside), result('__proto__', 'x'));
    expect(largestResultsText(refill)).toBe('');
  });
});

describe('the running tools', () => {
  it('are named in a few words, until they have results', () => {
    const begun = [use('1', 'Bash', { command: 'make all' }), use('2', 'Read', { file_path: 'a.ts' })];
    expect(runningToolTitles(refilled(...begun))).toBe('Bash make all; Read a.ts');
    expect(runningToolTitles(refilled(...begun, result('1', 'x')))).toBe('Read a.ts');
  });

  it('are empty after the turn', () => {
    expect(runningToolTitles(refilled(use('1', 'Bash', { command: 'make' }), resultLine()))).toBe('');
  });
});

describe('the report of an agent in the background', () => {
  const asked = { description: 'Look', prompt: 'Look at a' };
  const task = (id: string, subtype: string, more: Line = {}): Line => {
    return { type: 'system', subtype, task_id: `t${id}`, tool_use_id: id, task_type: 'local_agent', ...more };
  };
  const launch = (id: string) => result(id, 'launched', { tool_use_result: { status: 'async_launched' } });
  const launched = (id: string): Line[] => [use(id, 'Agent', asked), task(id, 'task_started'), launch(id)];
  const done = (id: string): Line[] => [
    task(id, 'task_updated', { patch: { status: 'completed' } }),
    task(id, 'task_notification', { status: 'completed', summary: 'word '.repeat(1_000), summary_is_report: true }),
  ];
  const echo = (id: string) => [use(id, 'Bash', { command: `echo ${id}` }), result(id, id)];
  const contentsOf = (...lines: readonly Line[]) => toolsOf(true, lines).contents;
  const sizeIn = ({ byName }: Tools['contents']) => [...byName.values()].map(({ tokens, cost }) => ({ tokens, cost }));

  it.each([
    { name: 'with the next result', next: echo('2') },
    { name: 'in a turn of its own', next: [initLine()] },
  ])('is a content of the context that costs what the agent cost: $name', ({ next }) => {
    const lines = [...launched('1'), ...done('1')];
    const [before, after] = [contentsOf(...lines), contentsOf(...lines, ...next)];
    expect(sizeIn(before).some(({ tokens }) => tokens > 500)).toBe(false);
    const [report] = sizeIn(after).filter(({ tokens }) => tokens > 500);
    expect(report?.cost).toBe(9_000);
    expect(after.step.size - before.step.size).toBeGreaterThan(1_000);
  });

  it('counts as fetched again, with its agent, if a relief has removed it', () => {
    const first = [...launched('1'), ...done('1'), ...echo('2'), boundaryLine('auto', 1)];
    const { step } = contentsOf(...first, ...launched('3'), ...done('3'), ...echo('4'));
    const { step: once } = contentsOf(...first, ...echo('4'));
    expect(step.refetched - once.refetched).toBe(2);
    expect(step.refetchedTokens - once.refetchedTokens).toBeGreaterThan(1_000);
    expect(step.refetchCost - once.refetchCost).toBe(9_000);
  });

  it('comes before the result of its call too', () => {
    const lines = launched('1');
    const contents = contentsOf(...lines.slice(0, 2), ...done('1'), ...lines.slice(2));
    const [report, ...others] = sizeIn(contents).filter(({ tokens }) => tokens > 500);
    expect(report?.cost).toBe(9_000);
    expect(others).toEqual([]);
  });
});
