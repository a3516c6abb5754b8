import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, startWorld } from '../support/claude.ts';
import { givenTexts, mainRequests } from '../support/conversation.ts';
import { journal, prompts, readLines, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { contextOf } from '../support/exact-job.ts';
import { DOCUMENT, isAsked } from '../support/handoff.ts';
import { kinds } from '../support/proof.ts';
import { sampled } from '../support/size.ts';
import type { Call, Scenario } from '../support/standin/scenario.ts';

const RULE = 'Never touch port 8080, it belongs to another team.';
const SECOND = 'Use tabs instead of spaces in every new file.';
const FAILING = 'npm run no-such-script';
const ALONE = 'And this without ctxb.';
const NEW = ['Now the third thing is to be done.', 'And then the fourth thing.'];

const bash = (command: string): Call => ({ tools: [{ name: 'Bash', input: { command, description: 'A step' } }] });

/** Two turns without ctxb, and two with it; the context crosses the levels of a run in the third. */
function job(): Scenario {
  const script = [
    ...[FAILING, 'echo 1', 'echo 2', 'echo 3', 'echo 4', 'echo 5'].map(bash),
    ...[{ text: 'answer 1' }, { text: 'answer 2' }],
    ...[...['echo 6', 'echo 7'].map(bash), { text: 'answer 3' }, { text: 'answer 4' }],
    ...[bash('echo 8'), { text: 'answer 5' }],
  ];
  return {
    calls: (request) => {
      const next = isAsked(request) ? { text: DOCUMENT } : (script.shift() ?? { text: 'Nothing more.' });
      return { ...next, context: contextOf(request) };
    },
    summary: { text: '<summary>Some work was done.</summary>' },
  };
}

const RESUME = { adopted: 'a session of claude alone', words: (id: string) => ['--resume', id] };
const FORK = { adopted: 'a fork of it', words: (id: string) => ['--resume', id, '--fork-session'] };
const CONTINUE = { adopted: 'the newest session', words: () => ['--continue'] };
const SUMMARY = { relief: 'a summary', kind: 'compact', flags: ['--no-mid-turn'] };
const HANDOFF = { relief: 'a handoff', kind: 'handoff', flags: ['--strategy', 'handoff'] };
const EXACT = { relief: 'an exact compaction', kind: 'compact', flags: ['--compaction', 'auto'] };

it.each(
  sampled(
    [
      ...[RESUME, FORK, CONTINUE].map((adopted) => ({ ...adopted, ...SUMMARY })),
      { ...RESUME, ...EXACT },
      ...[FORK, CONTINUE, RESUME].map((adopted) => ({ ...adopted, ...HANDOFF })),
      { ...FORK, ...EXACT },
    ],
    4,
  ),
)('$relief hands back the prompts of $adopted', async ({ words, flags, kind }) => {
  await using world = await startWorld(job());
  const { claude, scratch } = world;
  const begin = [...SMALL_WINDOW, '--output-format', 'json', '-p', `Port the parser. ${RULE}`];
  const id: string = JSON.parse((await runProgram(claude, begin, scratch)).stdout.toString()).session_id;
  await runProgram(claude, [...SMALL_WINDOW, '--resume', id, '-p', SECOND], scratch);

  const run = await runCtxb(world, { flags: [...flags, ...prompts(...NEW)], claude: [...SMALL_WINDOW, ...words(id)] });
  expect(run.code).toBe(0);
  expect(kinds(world)).toContain(kind);
  const after = givenTexts(mainRequests(world.standin).at(-1)).join('\n');
  for (const text of [RULE, SECOND, FAILING, ...NEW]) expect(after).toContain(text);
  expect(journal(world).find((one) => one.kind === 'receipt')).toMatchObject({ kept: { prompts: 3, failing: 1 } });

  // Taken up again it has notes: what was done without ctxb since is added, and nothing is noted twice.
  await runProgram(claude, [...SMALL_WINDOW, '--continue', '-p', ALONE], scratch);
  await runCtxb(world, { claude: [...SMALL_WINDOW, '--continue', '-p', 'One more.'] });
  const [index = ''] =
    readFileSync(join(scratch.cwd, '.context', 'scratch.md'), 'utf8').match(/^\d+ prompts → .*$/m) ?? [];
  expect(index).toMatch(/^6 prompts → /);
  const notes = join(scratch.cwd, index.replace(/^.* → /, '').replace('human-input.md', 'memory.ndjson'));
  const all = readLines(notes);
  const said = all.flatMap(({ kind, text }) => (kind === 'prompt' ? [text] : []));
  expect(said).toEqual([`Port the parser. ${RULE}`, SECOND, ...NEW, ALONE, 'One more.']);
  const ran = all.flatMap(({ kind, title }) => (kind === 'tool' ? [title] : []));
  expect(ran).toEqual([FAILING, ...[1, 2, 3, 4, 5, 6, 7, 8].map((at) => `echo ${at}`)]);
});

it('a session that is full when it is resumed is compacted with its dead ends', async () => {
  const full = [FAILING, FAILING, ...Array.from({ length: 6 }, (_, at) => `echo ${at}`)].map(bash);
  const script: Call[] = [...full, { text: 'answer 1' }];
  await using world = await startWorld({
    calls: (request) => ({ ...(script.shift() ?? { text: 'answer 2' }), context: contextOf(request) }),
  });
  const { env, cwd } = world.scratch;
  const begin = [...SMALL_WINDOW, '--output-format', 'json', '-p', RULE];
  const first = await runProgram(world.claude, begin, { env: { ...env, DISABLE_AUTO_COMPACT: '1' }, cwd });
  const { session_id: id } = JSON.parse(first.stdout.toString());

  const flags = ['--compaction', 'auto'];
  const run = await runCtxb(world, { flags, claude: [...SMALL_WINDOW, '--resume', id, '-p', 'Go on.'] });
  expect(run.stdout.toString()).toBe('answer 2\n');
  const after = givenTexts(mainRequests(world.standin).at(-1)).join('\n');
  expect(after).toContain(`sessions/${id}/scratch.md`);
  expect(after).toContain(`Did not work:\n- \`${FAILING}\` failed 2 times without a change in between`);
});
