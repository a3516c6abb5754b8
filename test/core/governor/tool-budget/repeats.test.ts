import { describe, expect, it } from 'vitest';
import { type Driver, kinds, type Line, userLine } from '../../../support/governor.ts';
import { answer, bash, bashInstead, called, calling, failing, inTurn, played } from '../../../support/tools.ts';

let calls = 0;

const LARGE = 'a line of output\n'.repeat(6_000);

/** One call of Bash from its hook to its result; whether it was cut. */
function run(driver: Driver, command: string, stdout = LARGE): boolean {
  const id = `toolu_run_${++calls}`;
  const actions = played(driver, called({ id, input: { command }, response: bash(stdout) }));
  const shown = bashInstead(answer(actions)) ?? stdout;
  driver.claude(userLine([{ type: 'tool_result', tool_use_id: id, content: shown }]));
  return kinds(actions).includes('tool-budget:result');
}

/** One Read from its first hook to its result: what was changed of it. */
function read(driver: Driver, content: string, lines: number): { limited: boolean; cut: boolean } {
  const id = `toolu_read_${++calls}`;
  const fitting = lines === 1 ? 0 : 100;
  const asked = played(driver, calling({ id, tool: 'Read', input: { file_path: '/f' } }), { file: { lines, fitting } });
  const input = (answer(asked).specific?.updatedInput as Line | undefined) ?? { file_path: '/f' };
  const numLines = 'limit' in input ? Number(input.limit) : lines;
  const file = { filePath: '/f', content, numLines, startLine: 1, totalLines: lines };
  const given = played(driver, called({ id, tool: 'Read', input, response: { type: 'text', file } }));
  const output = answer(given).specific?.updatedToolOutput as { file: { content: string } } | undefined;
  driver.claude(userLine([{ type: 'tool_result', tool_use_id: id, content: output?.file.content ?? content }]));
  return { limited: kinds(asked).includes('tool-budget:call'), cut: kinds(given).includes('tool-budget:result') };
}

describe('a result that was cut three times in a row', () => {
  it('passes whole, and is cut again after that', () => {
    const driver = inTurn();
    expect(Array.from({ length: 8 }, () => run(driver, 'make'))).toEqual([
      true,
      true,
      true,
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('is counted separately for each input', () => {
    const driver = inTurn();
    const cut = ['make a', 'make b', 'make a', 'make b', 'make a', 'make b', 'make a', 'make b'].map((one) =>
      run(driver, one),
    );
    expect(cut).toEqual([true, true, true, true, true, true, false, false]);
  });

  it('is reset by a result that fitted', () => {
    const driver = inTurn();
    run(driver, 'make');
    run(driver, 'make');
    run(driver, 'make', 'done');
    expect([run(driver, 'make'), run(driver, 'make'), run(driver, 'make'), run(driver, 'make')]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('counts as cut only if it was stored', () => {
    const driver = inTurn();
    for (let time = 0; time < 5; time++) {
      const line = called({ id: `toolu_unstored_${time}`, response: bash(LARGE) });
      expect(answer(played(driver, line, { path: undefined })).specific).toEqual({});
    }
    expect(run(driver, 'make')).toBe(true);
  });
});

describe('a Read that was limited three times in a row', () => {
  const whole = { limited: false, cut: false };

  it.each([
    { what: 'of many lines', lines: 3_000, part: { limited: true, cut: false } },
    { what: 'of a single line', lines: 1, part: { limited: true, cut: true } },
  ])('$what passes whole', ({ lines, part }) => {
    const driver = inTurn();
    const content = 'x'.repeat(60_000);
    expect(Array.from({ length: 4 }, () => read(driver, content, lines))).toEqual([part, part, part, whole]);
    expect(read(driver, content, lines).limited).toBe(true);
  });

  it('is limited again after it failed without a limit', () => {
    const driver = inTurn();
    for (let time = 0; time < 3; time++) read(driver, 'x\n'.repeat(100), 3_000);
    const call = { id: 'toolu_failing', tool: 'Read', input: { file_path: '/f' } };
    const world = { file: { lines: 3_000, fitting: 100 } };
    expect(kinds(played(driver, calling(call), world))).toEqual(['answer-hook']);
    driver.claude(failing({ ...call, error: 'File content (400KB) exceeds maximum allowed size' }));
    expect(kinds(played(driver, calling(call), world))).toContain('tool-budget:call');
  });
});
