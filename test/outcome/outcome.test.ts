import { describe, expect, it } from 'vitest';
import type { Call, RequestBody } from '../support/standin/scenario.ts';
import { type CacheLife, createMeter } from './api.ts';
import { injectedIn } from './injected.ts';
import { type Job, makeJob } from './job.ts';
import { createModel } from './model.ts';
import { costPicture } from './picture.ts';
import { rangeTable } from './range.ts';
import { jobOf } from './shapes.ts';
import { KEPT, summaryOf } from './summary.ts';

const job = makeJob(3);

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });

/** Works through a whole job with requests in which the model sees what `sight` makes of all that was said. */
function playAll(sight: (said: readonly string[]) => string, played = job) {
  const model = createModel(played, true);
  const tasks = played.tasks.length;
  const said = played.tasks.map(({ prompt }) => prompt);
  const calls: Call[] = [];
  for (let call = model.next({ messages: [user(sight(said))] }, tasks); model.answered() < tasks; ) {
    calls.push(call);
    said.push(`${JSON.stringify(call)}\n${resultOf(call, played)}`);
    call = model.next({ messages: [user(sight(said))] }, tasks);
  }
  return { faults: model.faults, calls };
}

/** What a tool would give back. */
function resultOf({ tools: [tool] = [] }: Call, { deadEnds, files }: Job): string {
  const {
    file_path,
    offset = 1,
    command,
  } = (tool?.input ?? {}) as { file_path?: string; offset?: number; command?: string };
  const dead = deadEnds.find((each) => each.command === command);
  if (dead !== undefined) return `${dead.command} failed with exit code 2`;
  if (tool?.name !== 'Read') return 'done';
  const text = String(files.find(({ path }) => path === file_path)?.text ?? '');
  return text
    .split('\n')
    .slice(offset - 1)
    .join('\n');
}

it('the table of jobs says how far the account of claude alone is off', () => {
  const pair = { title: 'short', shape: 'short', window: 200_000, alone: { usd: 4, faults: 0, told: undefined } };
  const rowOf = (told: number | undefined) =>
    rangeTable([{ ...pair, ctxb: { usd: 3, faults: 0, told } }]).split('\n')[2];
  expect(rowOf(0.9)).toBe('| short | $4.00 | $3.00 | 0.75 | $0.90 | $1.00 | -2.5 % |');
  expect(rowOf(0)).toBe('| short | $4.00 | $3.00 | 0.75 | as much | $1.00 | -25.0 % |');
  expect(rowOf(undefined)).toBe('| short | $4.00 | $3.00 | 0.75 | – | $1.00 | – |');
});

describe('the job', () => {
  it('is the same for the same seed, and differs for another one', () => {
    expect(JSON.stringify(makeJob(3))).toBe(JSON.stringify(job));
    expect(JSON.stringify(makeJob(4).files)).not.toBe(JSON.stringify(job.files));
  });

  it('says each constraint once, before it is needed', () => {
    const prompts = job.tasks.map(({ prompt }) => prompt);
    for (const { text } of job.constraints) expect(prompts.filter((prompt) => prompt.includes(text))).toHaveLength(1);
    job.tasks.forEach(({ steps }, at) => {
      for (const step of steps) {
        if (step.kind === 'constrained') expect(prompts.slice(0, at + 1).join()).toContain(step.constraint.text);
      }
    });
  });
});

describe('the model', () => {
  it('does everything right where it sees everything', () => {
    const { faults } = playAll((said) => said.join('\n'));
    expect(faults).toMatchObject({ deadEndsRepeated: 0, constraintsViolated: 0, filesReadAgain: 0, stepsGivenUp: 0 });
    expect(faults.deadEndsMet).toBeGreaterThan(10);
    expect(faults.constraintsMet).toBeGreaterThan(50);
  });

  it('violates rules, repeats failures and reads files again if its requests lack them', () => {
    const { faults } = playAll((said) => said.slice(-4).join('\n'));
    expect(faults.constraintsViolated).toBe(faults.constraintsMet);
    expect(faults.deadEndsRepeated).toBe(faults.deadEndsMet);
    expect(faults.filesReadAgain).toBeGreaterThan(0);
  });

  it('gives up what never comes into sight, instead of reading for ever', () => {
    const { faults } = playAll(() => '');
    expect(faults.stepsGivenUp).toBeGreaterThan(0);
  });
});

describe('a shape', () => {
  const shape = { prompts: 3, edits: 4, files: 3, tokens: 2_000 };
  const reads = ({ calls }: ReturnType<typeof playAll>) => calls.filter(({ tools }) => tools?.[0]?.name === 'Read');

  it('needs each file once where all of them stay in sight', () => {
    const played = playAll((said) => said.join('\n'), jobOf(shape, 1, 0));
    expect(reads(played)).toHaveLength(3);
    expect(played.faults).toMatchObject({ filesReadAgain: 0, stepsGivenUp: 0 });
  });

  it('reads a file again that the context lacks, and continues a cut one', () => {
    const cut = (text: string) => (text.length > 6_000 ? text.slice(0, 6_000) : text);
    const played = playAll((said) => said.map(cut).join('\n'), jobOf(shape, 1, 0));
    const offsets = reads(played).map(({ tools }) => Number(Object(tools?.[0]?.input).offset ?? 1));
    expect(offsets.filter((offset) => offset > 1)).toHaveLength(3);
    const lost = playAll((said) => said.slice(-4).join('\n'), jobOf({ ...shape, files: 1 }, 1, 0));
    expect(lost.faults.filesReadAgain).toBeGreaterThan(3);
  });

  it('needs the newest limit of a file: its old contents without the edit are not enough', () => {
    const withoutEdits = (said: readonly string[]) => said.filter((text) => !text.includes('"Edit"')).join('\n');
    expect(playAll(withoutEdits, jobOf({ ...shape, files: 1 }, 1, 0)).faults.filesReadAgain).toBeGreaterThan(0);
  });

  it('takes an edit again that claude refused, after a read', () => {
    const model = createModel(jobOf({ ...shape, files: 1 }, 1, 0), true);
    const file = String(jobOf({ ...shape, files: 1 }, 1, 0).files[0]?.text);
    const failed = { role: 'user', content: [{ type: 'tool_result', is_error: true, content: 'not read yet' }] };
    const toolOf = (call: Call) => call.tools?.[0]?.name;
    while (toolOf(model.next({ messages: [user(file)] }, 1)) !== 'Edit');
    expect(toolOf(model.next({ messages: [user(file), failed] }, 1))).toBe('Read');
    expect(toolOf(model.next({ messages: [user(file)] }, 1))).toBe('Edit');
  });
});

describe('the meter', () => {
  const body = (...texts: string[]): RequestBody => ({ system: 'x'.repeat(398), messages: texts.map(user) });

  it('finds in the cache what a request has in common with the beginning of an earlier one', () => {
    const meter = createMeter();
    const first = meter.usage(body('one'), 10);
    expect(first).toMatchObject({ cacheRead: 0, cacheCreation: meter.size(body('one')) });
    const second = meter.usage(body('one', 'two'), 10);
    expect(second.cacheRead).toBe(first.cacheCreation);
    expect(meter.usage(body('three', 'two'), 10).cacheRead).toBe(Math.ceil(JSON.stringify(body().system).length / 4));
    expect(meter.bill.calls).toBe(3);
  });

  it('drops entries unused for five minutes or an hour, and all entries of a cold cache', () => {
    const readAfter = (minutes: number, life: CacheLife) => {
      const meter = createMeter(life);
      meter.usage(body('one'), 0);
      meter.pause(minutes * 60_000);
      return meter.usage(body('one'), 0).cacheRead;
    };
    expect([readAfter(4, 'minutes'), readAfter(50, 'hour')]).not.toContain(0);
    expect([readAfter(20, 'minutes'), readAfter(70, 'hour'), readAfter(0, 'cold')]).toEqual([0, 0, 0]);
  });

  it('counts a picture as one, whatever its bytes', () => {
    const image = (data: string) => ({ role: 'user', content: [{ type: 'image', source: { data } }] });
    const sizes = [2_000, 200_000].map((bytes) => createMeter().size({ messages: [image('A'.repeat(bytes))] }));
    expect(sizes[0]).toBe(sizes[1]);
  });

  it('knows a block with a mark of the cache as the same block, and a text as its only block', () => {
    const meter = createMeter();
    const marked = { role: 'user', content: [{ type: 'text', text: 'one', cache_control: { type: 'ephemeral' } }] };
    meter.usage({ messages: [marked] }, 0);
    expect(meter.usage({ messages: [user('one')] }, 0).cacheCreation).toBe(0);
    expect(meter.usage({ messages: [{ role: 'user', content: 'one' }] }, 0).cacheCreation).toBe(0);
  });
});

it("distinguishes ctxb's additions from kept contents and from claude's own texts", () => {
  const reminder = '<system-reminder>\nPreToolUse:Read hook additional context: 9 lines.\n</system-reminder>';
  const lines = '[ctxb] Done here, one line a step:\n- Bash `make`';
  const note = '[ctxb] The conversation was compacted here.';
  const told = 'SessionStart hook additional context: go on.';
  const later = 'UserPromptSubmit hook additional context: This is its handoff document.\n\n## Goal\nNone';
  const system = (text: string) => ({ role: 'system', content: [{ type: 'text', text }] });
  const beside = [
    system(`${told}\n\n# Environment\nLinux`),
    system(`Skills\n\n${later}\n\nToday's date is 2026-11-22.`),
  ];
  const messages = [user('Do it.'), user(`done\n${reminder}`), user(lines), user(note), ...beside];
  const bill = { cacheRead: 900, cacheCreation: 100 };
  const { texts, added, kept } = injectedIn({ requests: [{ kind: 'main', body: { messages } }], bill } as never);
  expect(texts).toEqual([reminder, lines, note, told, later]);
  expect(added).toBeCloseTo((reminder.length + note.length + told.length + later.length) / 4000, 6);
  expect(kept).toBeCloseTo(lines.length / 4000, 6);
});

it('summaries keep as much as measured, drawn from the seed', () => {
  const known = job.constraints.map(({ text }) => text).join('\n');
  const kept = Array.from({ length: 200 }, (_, number) => summaryOf(job, known, number));
  const rate = kept.flatMap((text) => job.constraints.map((rule) => text.includes(rule.text))).filter(Boolean).length;
  expect(rate / (200 * job.constraints.length)).toBeCloseTo(KEPT.decision, 1);
  expect(summaryOf(job, known, 7)).toBe(kept[7]);
});

it('the chart has a bar for each variant, as long as its cost, and names what went wrong', () => {
  const bars = [
    { name: 'claude alone', value: 10, label: '$10.00', note: ', 3 faults' },
    { name: 'ctxb run', value: 5, label: '$5.00' },
  ];
  const svg = costPicture([{ title: 'twelve prompts', bars, line: 10 }]);
  const [alone = 0, ctxb = 0] = [...svg.matchAll(/<rect [^>]*width="(\d+)"/g)].map(([, width]) => Number(width));
  expect(alone).toBe(2 * ctxb);
  expect(svg).toContain('$10.00<tspan class="faint">, 3 faults</tspan>');
  expect(svg).toContain('$5.00<tspan class="faint"></tspan>');
  expect(svg).toContain(`x1="${230 + alone}"`);
});
