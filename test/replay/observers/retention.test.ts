import { describe, expect, it } from 'vitest';
import { createSessionReplay } from '../../../src/replay/session-replay.ts';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { boundaryLine, callLine, type Line, runWith, userLine } from '../../support/governor.ts';
import { asRead } from '../../support/recordings.ts';
import { unmasked } from '../../support/unmasked.ts';

const PROMPT = 'Mend the clock of the tower. Never touch src/bell.ts.';
let calls = 0;

/** A call of a tool, and its result. */
function use(name: string, input: object, text: string, isError = false): Line[] {
  const id = `toolu_${++calls}`;
  return [
    { ...callLine(20_000, { id: `m${calls}` }), ...asked(`m${calls}`, [{ type: 'tool_use', id, name, input }]) },
    userLine([{ type: 'tool_result', tool_use_id: id, content: text, is_error: isError }]),
  ];
}

function asked(id: string, content: readonly object[]) {
  const usage = { input_tokens: 20_000, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  return { message: { id, model: 'claude-opus-4-6', role: 'assistant', content, usage } };
}

const bash = (command: string, text = 'ok', isError = false) => use('Bash', { command }, text, isError);

const BEFORE: readonly Line[] = [
  userLine(PROMPT),
  ...bash('make test', 'Exit code 2\nError: no', true),
  ...bash('make clock'),
  ...bash('make clock', 'src/gears/wheel.c:12: port 8081'),
];

const AFTER: readonly Line[] = [...use('Read', { file_path: 'src/gears/wheel.c' }, 'text'), ...bash('make clock 8081')];

const summary = (text: string): Line =>
  userLine(`This session is being continued from a previous conversation.\n${text}`, { isSynthetic: true });

const ALL_KEPT = `The user: "${PROMPT}"
- \`make test\` fails with exit 2
- \`make clock\` works and names src/gears/wheel.c and port 8081`;

function retentionOf(lines: readonly Line[]): NonNullable<SessionSummary['retention']> {
  const replay = createSessionReplay({
    run: runWith({ mode: 'observe' }),
    series: false,
    retention: true,
    mask: unmasked,
  });
  for (const line of lines) replay.line(asRead(JSON.stringify(line)));
  return replay.summary('a.ndjson').retention ?? [];
}

describe('what a compaction kept', () => {
  it.each([
    {
      name: 'nothing',
      text: 'The clock tower. Tests with make, and wheels. Not touched: the bell.',
      own: 0,
    },
    { name: 'all of it', text: ALL_KEPT, own: 1 },
  ])('of a summary that has $name', ({ text, own }) => {
    const [relief, ...others] = retentionOf([...BEFORE, boundaryLine('auto', 90_000), summary(text), ...AFTER]);
    expect(others).toEqual([]);
    expect(relief).toMatchObject({ relief: 'compaction', call: 4 });
    const known = { prompts: 1, failing: 1, again: 1 };
    expect(relief?.all).toMatchObject(known);
    // ctxb would have handed all of it back.
    expect(relief?.kept).toMatchObject(known);
    const back = 1 - own;
    expect(relief?.given).toMatchObject({ prompts: back, failing: back, again: back });
  });

  it('names lost facts with the last line that mentioned them and the call that asked again', () => {
    const text = 'The user said: "Never touch src/bell.ts."';
    const [relief] = retentionOf([
      ...bash('cat poem.txt'),
      ...BEFORE,
      boundaryLine('auto', 90_000),
      summary(text),
      ...bash('make clock -j'),
      ...bash('make clock'),
    ]);
    const facts = [...(relief?.gone ?? []), ...(relief?.stayed ?? [])];
    // Behind the two lines of the first call.
    expect(facts).toContainEqual({ kind: 'prompts', text: PROMPT, line: 3, again: null, by: 'ctxb' });
    expect(facts).toContainEqual({ kind: 'failing', text: 'make test', line: 4, again: null, by: 'ctxb' });
    // `make clock -j` is another command.
    expect(facts).toContainEqual({ kind: 'again', text: 'make clock', line: 8, again: 6, by: 'ctxb' });
  });

  it.each([
    '# Mend the bell\n\nIt rings twice.\n\n## Notes\n\n- Never push to main.',
    '- mend the bell\n- oil the clock',
    '1. mend the bell\n2. oil the clock',
  ])('finds the line of a prompt with headings and lists: %j', (prompt) => {
    const [relief] = retentionOf([userLine(prompt), ...BEFORE, boundaryLine('auto', 90_000), summary('x'), ...AFTER]);
    const facts = [...(relief?.gone ?? []), ...(relief?.stayed ?? [])];
    const told = facts.filter(({ kind }) => kind === 'prompts');
    expect(told).toHaveLength(2);
    expect(told.filter(({ line = null }) => line === null)).toEqual([]);
  });

  it('is reported for each, except without a request after it', () => {
    const one = [boundaryLine('auto', 90_000), summary('x')];
    expect(retentionOf([...BEFORE, ...one, ...AFTER, ...one, ...AFTER]).map(({ relief }) => relief)).toHaveLength(2);
    expect(retentionOf([...BEFORE, ...one])).toEqual([]);
    expect(retentionOf(BEFORE)).toEqual([]);
  });
});
