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
import { boundaryLine, callLine, type Line, resultLine, userLine } from '../../../support/governor.ts';

function use(id: string, name: string, input: object, more: Line = {}): Line {
  const line = callLine(20_000, more);
  return { ...line, message: { ...(line.message as object), content: [{ type: 'tool_use', id, name, input }] } };
}

function result(id: string, text: string, more: Line = {}): Line {
  return userLine([{ type: 'tool_result', tool_use_id: id, content: text }], more);
}

function refilled(...lines: readonly Line[]): Tools {
  return lines.reduce<Tools>(
    (tools, line) =>
      toolsAfter(tools, decodeObject(line), {
        now: 0,
        calls: 0,
        kept: [],
        calibration: UNCALIBRATED,
        tracksContents: false,
        hiddenCostOf: () => ({}),
      }),
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
