import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Call } from '../../src/standin/scenario.ts';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { givenTexts, instructionsOf, mainRequests, summaryRequests } from '../support/conversation.ts';
import { initProject, journalLines, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { resultsIn } from '../support/results.ts';
import { inSoak, sampled } from '../support/size.ts';
import { bash, configure } from '../support/tool-agents.ts';

const PROMPT = 'Count, then say where the numbers are: "quotes" and ünïcode.';

/** Of which the hook knows what it takes before claude's log shows the call. */
const LONG_COMMAND = `echo nearly full # ${'words of this line and words of it, '.repeat(1_000)}`;

const calls: Call[] = [
  { tools: [bash('seq 1 5000')], context: 132_000 },
  { tools: [bash(LONG_COMMAND)], context: 134_000 },
  { tools: [bash('false')], context: 152_000 },
  { text: 'They are counted.', context: 30_000 },
];

/** claude compacts by itself at 150,000 tokens. */
const ENV = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '183000' };

/** As a person would set it up in the project. */
async function install(world: World): Promise<void> {
  // No status line tells these hooks the window.
  configure(world, { window: 200_000, tools: { perCall: 2_000 } });
  await initProject(world);
}

const claude = (world: World, prompt: string, ...words: readonly string[]) =>
  runProgram(world.claude, [...SMALL_WINDOW, '-p', prompt, ...words], {
    env: { ...world.scratch.env, ...ENV },
    cwd: world.scratch.cwd,
  });

it('without a wrapper a large result is cut, a full context told, and notes survive a compaction', async () => {
  await using world = await startWorld({ calls, summary: { text: 'Numbers were counted.' } });
  await install(world);
  const run = await claude(world, PROMPT);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout.toString()).toBe('They are counted.\n');

  const [, afterCut, afterAlert] = mainRequests(world.standin);
  const [cut] = resultsIn(afterCut);
  expect(cut?.text).toContain('[ctxb cut this result to fit the budget of tools. Bash seq 1 5000: 23892 characters');
  expect(cut?.text.length).toBeLessThan(8_000);
  const stored = /The whole of it is in (\S+): go on/.exec(cut?.text ?? '')?.[1] ?? '';
  expect(readFileSync(stored, 'utf8')).toMatch(/4999\n5000$/);

  const told = givenTexts(afterAlert).join('\n');
  expect(told).toMatch(
    /Context budget: 7\d % used \(14\d+ of 200000 tokens, (measured|predicted)\)\. That is nearly full/,
  );

  const [summary] = summaryRequests(world.standin);
  expect(instructionsOf(summary)).toContain(`When you summarise, focus on ${PROMPT}`);
  expect(instructionsOf(summary)).not.toContain('systemMessage');

  const handedBack = givenTexts(mainRequests(world.standin).at(-1)).join('\n');
  expect(handedBack).toContain(`word for word:\n\n${PROMPT}`);
  expect(handedBack).toMatch(/Notes of this session are kept in \.context\/sessions\/[\w-]+\/scratch\.md/);
  expect(handedBack).toContain('Commands that failed when they last ran:\n- `false` exit 1');

  const kinds = journalLines(world).map(({ kind }) => kind);
  expect(kinds).toEqual(['cut-result', 'warn', 'focus', 'restore', 'recall', 'receipt', 'native-compaction']);
  const [session = ''] = readdirSync(join(world.scratch.cwd, '.context', 'sessions'));
  const commands = join(world.scratch.cwd, '.context', 'sessions', session, 'commands.md');
  expect(readFileSync(commands, 'utf8')).toMatch(/seq 1 5000[\s\S]*echo nearly full[\s\S]*false/);
});

it.each(
  sampled([
    { name: 'a session begun without them', words: ['--continue'] },
    { name: 'a fork of one', words: ['--continue', '--fork-session'] },
  ]),
)('$name is noted from its beginning', async ({ words }) => {
  const before: Call[] = [{ tools: [bash('npm run no-such-script')] }, { text: 'It failed.' }];
  const summary = { text: '<summary>Numbers were counted.</summary>' };
  await using world = await startWorld({ calls: [...before, ...calls], summary });
  await claude(world, 'Build it. Never touch port 8080.');
  await install(world);
  expect(await claude(world, PROMPT, ...words)).toMatchObject({ code: 0 });

  expect(summaryRequests(world.standin)).toHaveLength(1);
  const handedBack = givenTexts(mainRequests(world.standin).at(-1)).join('\n');
  expect(handedBack).toContain('- Never touch port 8080.');
  expect(handedBack).toContain('- `npm run no-such-script` exit ');
  expect(handedBack.split('#1: Build it.')).toHaveLength(2);
  expect(readFileSync(join(world.scratch.cwd, '.context', 'scratch.md'), 'utf8')).toContain('\n2 prompts →');
});

inSoak('inside of a run the hooks in the settings do nothing, as the run does all of that', async () => {
  await using world = await startWorld({ calls: [{ tools: [bash('seq 1 5000')] }, { text: 'Done.' }] });
  await install(world);
  const run = await runCtxb(world, { flags: prompts(PROMPT), claude: SMALL_WINDOW });
  expect(run.stdout.toString()).toBe('Done.\n');
  expect(journalLines(world).filter(({ kind }) => kind === 'cut-result')).toHaveLength(1);
  expect(existsSync(join(world.scratch.cwd, '.context', 'hooks'))).toBe(false);
});
