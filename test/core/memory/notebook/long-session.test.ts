import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../../src/core/governor/gauge/token-estimate.ts';
import { createExtractor } from '../../../../src/core/memory/extract/extract.ts';
import { createEntryMaker } from '../../../../src/core/memory/make-entry.ts';
import { EVIDENCE_KINDS } from '../../../../src/core/memory/notebook/evidence.ts';
import { createNotebook } from '../../../../src/core/memory/notebook/notebook.ts';
import { renderIndex } from '../../../../src/core/memory/notebook/render-index.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { redact } from '../../../../src/store/masks/redact.ts';
import type { Line } from '../../../support/governor.ts';
import { sized } from '../../../support/size.ts';

const ROUNDS = sized(1_100, 5_000);
/** Six calls, their results, a prompt, and one call whose result never comes. */
const EVENTS_PER_ROUND = 14;

/** What one round of a session adds; nothing in it is named as in another round. */
function* linesOf(n: number): Generator<Line> {
  yield { type: 'user', message: { role: 'user', content: `Prompt ${n}` }, parent_tool_use_id: null };
  yield* call(`a${n}`, 'Write', { file_path: `/w/file-${n}.ts`, content: 'x' }, 'File created successfully');
  yield* call(`b${n}`, 'Bash', { command: `make target-${n}` }, `Exit code 2\nTypeError: ${wordOf(n)} is wrong`, true);
  yield* call(`c${n}`, 'Bash', { command: `make target-${n}` }, `Exit code 2\nTypeError: ${wordOf(n)} is wrong`, true);
  yield* call(`d${n}`, 'Read', { file_path: `/w/read-${n}.ts` }, 'text');
  yield* call(`e${n}`, 'TaskCreate', { subject: `Task of ${n}` }, `Task #${n} created successfully: Task of ${n}`);
  yield* call(`f${n}`, 'Bash', { command: `echo ${n}` }, `${n}`, false, `agent-${n}`);
  const [open] = call(`g${n}`, 'Agent', { description: `Look into ${n}` }, '');
  if (open !== undefined) yield open;
}

function call(
  id: string,
  name: string,
  input: object,
  content: string,
  failed = false,
  agent: string | null = null,
): Line[] {
  const use = { type: 'tool_use', id, name, input };
  const result = { type: 'tool_result', tool_use_id: id, content, is_error: failed };
  return [
    { type: 'assistant', message: { id: `m${id}`, role: 'assistant', content: [use] }, parent_tool_use_id: agent },
    { type: 'user', message: { role: 'user', content: [result] }, parent_tool_use_id: agent },
  ];
}

/** Letters only: figures in an error are masked, so that errors with other figures would be the same one. */
function wordOf(n: number): string {
  return [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}

function noted(rounds: number) {
  const extractor = createExtractor({ isLive: true });
  const entryOf = createEntryMaker(redact);
  const notebook = createNotebook();
  const details = createHash('sha256');
  let events = 0;
  for (let round = 0; round < rounds; round++) {
    for (const line of linesOf(round)) {
      const input = { t: ++events, from: 'claude', event: decodeObject(line) } as const;
      for (const found of extractor.add(input)) {
        for (const { file, text } of notebook.add(entryOf(found)).pages) details.update(`${file}\n${text}`);
      }
    }
  }
  const index = renderIndex(notebook, { session: 's', task: 'all of it', state: 'on', updated: 1, folder: '.context' });
  details.update(notebook.toolLog.render());
  return { notebook, index, details: details.digest('hex'), events };
}

describe(`a session of ${ROUNDS * EVENTS_PER_ROUND} events, each about something else`, () => {
  let session: ReturnType<typeof noted>;

  beforeAll(() => {
    session = noted(ROUNDS);
  });

  it('is kept in part, and counted in full', () => {
    const { notebook, events } = session;
    const { prompts, states, deadEnds, artifacts, commands, toolLog } = notebook;
    expect(events).toBe(ROUNDS * EVENTS_PER_ROUND);
    expect([prompts, artifacts, commands, toolLog].map(({ total }) => total)).toEqual(
      [1, 1, 3, 6].map((n) => n * ROUNDS),
    );
    expect([states.total, deadEnds.total]).toEqual([ROUNDS, ROUNDS]);
    const sizes = [prompts, states, deadEnds, artifacts, commands].map((section) => section.items().length);
    expect(sizes).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
    expect(toolLog.tokens).toBeLessThanOrEqual(12_000);
    expect(estimateTokens(toolLog.render())).toBeLessThanOrEqual(12_000);
    expect(toolLog.total - toolLog.left).toBe(toolLog.render().match(/^- /gm)?.length);
    expect(notebook.tasks.open()).toHaveLength(500);
    expect(EVIDENCE_KINDS.map((kind) => notebook.evidence.items(kind).length).every((size) => size <= 40)).toBe(true);
  });

  it('has an index of at most 200 lines with the newest entries and the totals', () => {
    const { index } = session;
    const lines = index.split('\n');
    expect(lines.length - 1).toBeLessThanOrEqual(200);
    expect(lines.filter((line) => line.startsWith('## '))).toEqual(
      ['Human Input', 'State Changes', 'Dead Ends', 'Artifacts', 'Commands', 'Open Tasks'].map(
        (title) => `## ${title}`,
      ),
    );
    expect(index).toContain(`#${ROUNDS}: Prompt ${ROUNDS - 1} [L`);
    const [prompts, commands, calls] = [1, 3, 6].map((n) => (n * ROUNDS).toLocaleString('en'));
    const told = index.replaceAll(/(?<=newest )\d+/g, 'N').replace(', each at its last run', '');
    expect(told).toContain(`\n${prompts} prompts, the newest N here → .context/human-input.md\n`);
    expect(told).toContain(`\n${commands} commands, the newest N here → .context/commands.md\n`);
    expect(told).toContain(`\n${calls} tool calls, the newest N in short → .context/tool-log.md\n`);
  });
});

it('makes the same notes from the same events', () => {
  const rounds = sized(200, 500);
  const [first, second] = [noted(rounds), noted(rounds)];
  expect(second.index).toBe(first.index);
  expect(second.details).toBe(first.details);
});
