import { describe, expect, it } from 'vitest';
import { tokensForResult } from '../../../../src/core/governor/tool-budget/room.ts';
import {
  boundaryLine,
  callLine,
  type Driver,
  exitEvent,
  initLine,
  type Line,
  resultLine,
  userLine,
} from '../../../support/governor.ts';
import { bash, called, calling, failing, inTurn, played } from '../../../support/tools.ts';

/** Lines of which a part fits. */
const LARGE = { lines: 3_000, fitting: 700 };

const result = (id: string, text = 'x', more: Line = {}) =>
  userLine([{ type: 'tool_result', tool_use_id: id, content: text, ...more }]);

/** Five Reads are under way, for each of which room is kept. */
function reading(): Driver {
  const driver = inTurn();
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    played(driver, calling({ id, tool: 'Read', input: { file_path: `/${id}` } }), { file: LARGE });
  }
  return driver;
}

const room = (driver: Driver) => tokensForResult(driver.state, { tool: 'Bash', agent: null });

/** What one result may take when nothing is under way. */
const WHOLE = 8_000;

describe('room is reserved for pending results', () => {
  it('so that parallel calls share it', () => {
    const driver = inTurn();
    const rooms = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => {
      const now = room(driver);
      played(driver, calling({ id, tool: 'Read', input: { file_path: `/${id}` } }), { file: LARGE });
      return now;
    });
    expect(rooms.slice(0, 5)).toEqual([WHOLE, WHOLE, WHOLE, WHOLE, WHOLE]);
    expect(rooms[5]).toBeLessThan(WHOLE);
  });

  it('until the stream shows them; then their actual size counts', () => {
    const driver = reading();
    driver.claude(...['a', 'b', 'c', 'd', 'e'].map((id) => result(id, 'x'.repeat(350))));
    expect(driver.state.work.budget.open).toEqual({});
    expect(driver.state.work.budget.results).toBe(500);
    expect(room(driver)).toBe(WHOLE);
  });

  it('of cut results at their reduced size', () => {
    const driver = inTurn();
    played(driver, called({ id: 'a', response: bash('line\n'.repeat(20_000)) }));
    expect(driver.state.work.budget.open.a?.tokens).toBeGreaterThan(7_000);
    expect(driver.state.work.budget.open.a?.tokens).toBeLessThanOrEqual(8_000);
  });
});

describe('reserved room is released', () => {
  it.each([
    {
      how: 'a tool that was denied',
      lines: ['a', 'b', 'c', 'd', 'e'].map((id) => result(id, 'no', { is_error: true })),
    },
    { how: 'a turn that was interrupted', lines: [resultLine({ subtype: 'error_during_execution', is_error: true })] },
    { how: 'a turn that is over', lines: [resultLine()] },
    { how: 'another turn', lines: [initLine()] },
    { how: 'a compaction', lines: [boundaryLine('auto', 150_000), callLine(20_000)] },
    { how: 'a cleared conversation', lines: [{ type: 'conversation_reset', session_id: 's1' }] },
    { how: 'a conversation with another id', lines: [initLine({ session_id: 's2' })] },
  ])('after $how', ({ lines }) => {
    const driver = reading();
    expect(room(driver)).toBeLessThan(WHOLE);
    driver.claude(...lines);
    expect(driver.state.work.budget.open).toEqual({});
    expect(room(driver)).toBe(WHOLE);
  });

  it('in the process that replaces a dead one', () => {
    const driver = reading();
    driver.tell(exitEvent());
    driver.begin();
    driver.claude(initLine());
    expect(room(driver)).toBe(WHOLE);
  });

  it('after hundreds of calls of every kind', () => {
    const driver = inTurn();
    for (let turn = 0; turn < 40; turn++) {
      for (let call = 0; call < 8; call++) playOne(driver, `${turn}-${call}`, (turn + call) % 6);
      driver.claude(resultLine(), initLine(), callLine(20_000));
    }
    expect(driver.state.work.budget.open).toEqual({});
    expect(driver.state.work.budget.results).toBe(0);
    expect(room(driver)).toBe(WHOLE);
  });

  it('is not reserved for a call without an id, which no line could release', () => {
    const driver = inTurn();
    const line = called({ id: '', response: bash('line\n'.repeat(20_000)) });
    played(driver, line);
    expect(driver.state.work.budget.open).toEqual({});
  });
});

function playOne(driver: Driver, id: string, way: number): void {
  const read = { id, tool: 'Read', input: { file_path: `/${id}` } };
  const large = { id, input: { command: id }, response: bash('line\n'.repeat(20_000)) };
  if (way === 0) played(driver, calling(read), { file: LARGE });
  if (way === 1) driver.claude(...[calling(read), failing({ ...read, error: 'no such file' }), result(id)]);
  if (way === 2) played(driver, called(large));
  if (way === 3) driver.claude(called(large));
  if (way === 4) played(driver, called(large), { path: undefined });
  if (way === 5) driver.claude(calling(read));
}

describe('a subagent', () => {
  it('keeps its room past the end of a turn of the main thread', () => {
    const driver = inTurn();
    played(driver, called({ id: 'x', agent: 'agent-1', response: bash('line\n'.repeat(20_000)) }));
    driver.claude(resultLine(), initLine());
    expect(Object.keys(driver.state.work.budget.open)).toEqual(['x']);
    expect(room(driver)).toBe(WHOLE);
  });
});
