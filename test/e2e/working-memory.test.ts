import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Decision } from '../../src/core/governor/decisions.ts';
import { startWorld, type World } from '../support/claude.ts';
import { givenTexts, instructionsOf, mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import { journal, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { inSoak } from '../support/size.ts';
import type { Call, RecordedRequest, Scenario } from '../support/standin/scenario.ts';

const OPENING = 'Notes of this session are kept in';
const FAILS = 'echo "Tests: 3 failed, 41 passed, 44 total"; exit 7';

function bash(command: string, context: number): Call {
  return { tools: [{ name: 'Bash', input: { command, description: 'Do it' } }], context };
}

/** A job with a file written, a command that fails twice, and three compactions: ours, claude's own, the caller's. */
function job(summary: string): Scenario {
  let landed = 30_000;
  return {
    calls: [
      { tools: [{ name: 'Write', input: { file_path: 'notes/plan.txt', content: 'plan' } }], context: 30_000 },
      bash(FAILS, 60_000),
      bash(FAILS, 90_000),
      { text: 'first done', context: 158_000 },
      // Ours comes here.
      { text: 'second done', context: 31_000 },
      bash('echo a > made-by-shell.txt', 32_000),
      bash('echo near the limit', 166_000),
      bash('echo above it', 172_000),
      // claude's own comes here, in the middle of the turn.
      bash('echo after it', 33_000),
      { text: 'third done', context: 34_000 },
      // The caller's comes here.
      { text: 'fourth done', context: 35_000 },
    ],
    summary: () => {
      landed += 1;
      return { text: `<summary>${summary}</summary>`, context: landed };
    },
  };
}

const FOUR = ['Write the plan and test it.', 'Go on.', 'Now the long part.', '/compact keep it', 'And the rest.'];

function ofKind<K extends Decision['kind']>(world: World, kind: K) {
  return journal(world).filter((entry): entry is Extract<Decision, { readonly kind: K }> => entry.kind === kind);
}

function recalls(world: World) {
  return ofKind(world, 'recall');
}

/** Hook contexts in the request that follows the `count`th summary, from the notes on. */
function handedBack(world: World, count: number): string {
  return givenTexts(requestAfter(world, count))
    .map((text) => text.slice(text.indexOf(OPENING)))
    .filter((text) => text.startsWith(OPENING))
    .join('\n---\n');
}

function requestAfter(world: World, count: number): RecordedRequest | undefined {
  const summary = summaryRequests(world.standin)[count];
  return mainRequests(world.standin).find(({ index }) => index > (summary?.index ?? Number.POSITIVE_INFINITY));
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

inSoak('the next request after each of three compactions has the evidence once', async () => {
  await using world = await startWorld(job('I wrote the plan in notes/plan.txt.'));
  const run = await runCtxb(world, { flags: prompts(...FOUR), claude: SMALL_WINDOW });

  expect(run.stderr).not.toContain('no more notes');
  expect(run.code).toBe(0);
  expect(summaryRequests(world.standin)).toHaveLength(3);
  for (const count of [0, 1, 2]) {
    const told = handedBack(world, count);
    expect(occurrences(told, OPENING)).toBe(1);
    expect(occurrences(told, 'notes/plan.txt')).toBe(1);
    expect(told).toMatch(/^Did not work:\n- .*exit 7` failed 2 times.*: 3 failed$/m);
    expect(occurrences(told, 'exit 7')).toBe(1);
    expect(told).toMatch(/Write the plan and test it\.$/m);
    expect(told.length).toBeLessThan(9_000);
  }
  expect(handedBack(world, 0)).not.toContain('made-by-shell.txt');
  expect(handedBack(world, 1)).toContain('`echo a > made-by-shell.txt` exit 0');
  // The one in mid-turn brings the running prompt back too.
  expect(givenTexts(requestAfter(world, 1)).filter((text) => text.includes('Now the long part.'))).toHaveLength(1);

  expect(recalls(world).map(({ hook }) => hook)).toEqual(['SessionStart', 'SessionStart', 'SessionStart']);
  const [first] = ofKind(world, 'receipt');
  expect(ofKind(world, 'receipt')).toHaveLength(3);
  expect(first).toMatchObject({
    relief: 'compaction',
    all: { paths: 1, failing: 1, deadEnds: 1 },
    kept: { prompts: 1, paths: 1, failing: 1, deadEnds: 1 },
    given: { prompts: 1, paths: 0, failing: 1, deadEnds: 1 },
  });
});

it("the next request after each compaction has the user's prompts word for word", async () => {
  await using world = await startWorld(job('Nothing.'));
  const said = [
    'Write the plan of the clock and test it. Never touch src/bell.ts.',
    'Go on. Actually, use port 8081 instead.',
    'Now the long part of it. Then tell me what is left.',
    '/compact keep it',
    'And the rest of the clock.',
  ];
  const run = await runCtxb(world, { flags: prompts(...said), claude: SMALL_WINDOW });

  expect(run.code).toBe(0);
  const [ours = '', native = '', callers = ''] = [0, 1, 2].map((count) => handedBack(world, count));
  // The next prompt is the task, and follows whole.
  expect(ours).toContain('Task: Go on. Actually, use port 8081 instead.');
  const words = 'follow the newer:\n- #1: Write the plan of the clock and test it. Never touch src/bell.ts.';
  expect(ours).toContain(words);
  expect(ours).not.toContain('long part');
  // In mid-turn the running prompt comes back whole, before the others.
  expect(native).toContain(words.replace('- #1', '- #2: Go on. Actually, use port 8081 instead.\n- #1'));
  expect(givenTexts(requestAfter(world, 1)).join('\n').split('Now the long part of it.')).toHaveLength(2);
  expect(callers).toContain('Task: And the rest of the clock.');
  expect(callers).toContain('\n- #3: Now the long part of it. Then tell me what is left.\n- #2: Go on. Actually, use');
  const folder = join(world.scratch.cwd, '.context', 'sessions');
  const [session = ''] = readdirSync(folder);
  const whole = readFileSync(join(folder, session, 'human-input.md'), 'utf8');
  for (const prompt of said) expect(occurrences(whole, prompt)).toBe(1);
  expect(ofKind(world, 'receipt').at(-1)).toMatchObject({ kept: { prompts: 3 } });
});

inSoak('does not note a waiting prompt before it goes to claude', async () => {
  const said = ['Write the plan.', 'Then the clock.'];
  const seen: { readonly asked: string; readonly noted: string }[] = [];
  const { calls } = job('Nothing.');
  await using world = await startWorld({
    calls: (request, index) => {
      seen.push({ asked: userTexts(request).join('\n'), noted: humanInput() });
      return (calls as readonly Call[])[index] ?? { text: 'done', context: 30_000 };
    },
  });
  const folder = join(world.scratch.cwd, '.context', 'sessions');
  function humanInput(): string {
    const [session] = existsSync(folder) ? readdirSync(folder) : [];
    const file = join(folder, session ?? '', 'human-input.md');
    return session !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '';
  }
  await runCtxb(world, { flags: prompts(...said), claude: SMALL_WINDOW });

  expect(seen[0]?.asked).not.toContain('Then the clock.');
  for (const { asked, noted } of seen) {
    expect(said.filter((prompt) => noted.includes(prompt) && !asked.includes(prompt))).toEqual([]);
  }
  for (const prompt of said) expect(humanInput()).toContain(prompt);
});

inSoak('asks every summary to name the notes, which are on disk by then', async () => {
  await using world = await startWorld(job('Nothing.'));
  await runCtxb(world, { flags: prompts(...FOUR), claude: SMALL_WINDOW });

  for (const request of summaryRequests(world.standin)) {
    expect(instructionsOf(request)).toMatch(
      /say that notes of the whole session are in \.context\/sessions\/\S+\/scratch\.md/,
    );
  }
  const folder = join(world.scratch.cwd, '.context');
  const [session = ''] = readdirSync(join(folder, 'sessions'));
  const own = readFileSync(join(folder, 'sessions', session, 'scratch.md'), 'utf8');
  expect(readFileSync(join(folder, 'scratch.md'), 'utf8')).toBe(own);
  expect(own).toContain('Task: Now the long part.');
  expect(own).toMatch(/- #1: .*3 failed, 41 passed.* \[L\d+-\d+\]/s);
  expect(own.split('\n').length).toBeLessThanOrEqual(201);
  for (const file of readdirSync(join(folder, 'sessions', session))) {
    expect((statSync(join(folder, 'sessions', session, file)).mode & 0o777).toString(8)).toBe('600');
  }
});

inSoak('--no-memory notes nothing and hands nothing back', async () => {
  await using world = await startWorld(job('Nothing.'));
  await runCtxb(world, { flags: prompts(...FOUR), claude: SMALL_WINDOW, env: { CTXB_MEMORY_ENABLED: 'false' } });

  expect(readdirSync(join(world.scratch.cwd, '.context')).sort()).toEqual([
    '.gitignore',
    'CTXB.TAG',
    'health.ndjson',
    'inbox',
    'journal.ndjson',
    'mailbox.ndjson',
  ]);
  expect(handedBack(world, 0)).toBe('');
});
