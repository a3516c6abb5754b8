import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { promptLine, runProgram, startWorld } from '../support/claude.ts';
import { conversation, givenTexts, mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import { journal, outputLines, PROTOCOL, prompts, runCtxb, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { inSoak, sampled } from '../support/size.ts';

it.each(
  sampled([
    { name: '150,000 is seen', context: 150_000, kinds: ['warn'] },
    { name: '160,000 is compacted', context: 160_000, kinds: ['warn', 'compact'] },
  ]),
)('a resumed session at $name before its first call', async ({ context, kinds }) => {
  await using world = await startWorld(conversation({ turns: [2, 1], from: context - 5_000, growBy: 5_000 }));
  const first = await runCtxb(world, {
    flags: ['--no-mid-turn', ...prompts('the beginning')],
    claude: [...SMALL_WINDOW, '--output-format', 'json'],
  });
  const { session_id: id } = JSON.parse(first.stdout.toString());
  const callsBefore = mainRequests(world.standin).length;
  const decisionsBefore = journal(world).length;

  const second = await runCtxb(world, { claude: [...SMALL_WINDOW, '--resume', id, '-p', 'go on'] });
  expect(second.code).toBe(0);
  const decisions = journal(world).slice(decisionsBefore);
  const early = decisions.filter(({ at, kind }) => at.call === 0 && kinds.includes(kind));
  expect(early.map(({ kind }) => kind)).toEqual(kinds);
  expect(early[0]?.gauge.basis).toBe('asked');
  expect(early[0]?.gauge.used).toBeGreaterThanOrEqual(context * 0.99);
  expect(userTexts(mainRequests(world.standin)[callsBefore]).at(-1)).toBe('go on');
  expect(summaryRequests(world.standin)).toHaveLength(kinds.includes('compact') ? 1 : 0);
});

it('a full session with one prompt hands it to a fresh process, which begins with the document', async () => {
  await using world = await startWorld(conversation({ turns: [2, 1], from: 165_000, growBy: 5_000 }));
  const first = await runCtxb(world, {
    flags: ['--no-mid-turn', ...prompts('the beginning')],
    claude: [...SMALL_WINDOW, '--output-format', 'json'],
  });
  const { session_id: id } = JSON.parse(first.stdout.toString());

  const claude = [...SMALL_WINDOW, '--disable-slash-commands', '--resume', id, '-p', 'go on'];
  expect((await runCtxb(world, { claude })).code).toBe(0);
  expect(journal(world).find(({ kind }) => kind === 'handed-over')).toMatchObject({ way: 'process' });
  const fresh = givenTexts(mainRequests(world.standin).at(-1)).join('\n');
  expect(fresh).toContain('This is its handoff document');
  expect(fresh).toContain('the beginning');
});

inSoak('the same for a program that speaks the protocol', async () => {
  await using world = await startWorld(conversation({ turns: [2, 1], from: 155_000, growBy: 5_000 }));
  const first = await runCtxb(world, { claude: [...SMALL_WINDOW, '-p', 'begin', '--output-format', 'json'] });
  const { session_id: id } = JSON.parse(first.stdout.toString());

  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL, '--resume', id] });
  program.send(promptLine('go on'));
  program.stdin.end();
  const run = await program.finished;
  expect(
    outputLines(run)
      .filter((line) => line.type === 'result')
      .map((line) => line.result),
  ).toEqual(['answer 2']);
  expect(summaryRequests(world.standin)).toHaveLength(1);
});

inSoak('a claude that resumed a part of a session and dies continues what it had begun', async () => {
  const dies = { tools: [{ name: 'Bash', input: { command: 'sleep 0.5; kill -9 $PPID', description: 'End' } }] };
  await using world = await startWorld({ calls: [{ text: 'one' }, { text: 'two' }, dies, { text: 'three' }] });
  const { cwd, env } = world.scratch;
  const alone = async (prompt: object, ...args: readonly string[]) => {
    const stdin = `${JSON.stringify(prompt)}\n`;
    return outputLines(await runProgram(world.claude, [...SMALL_WINDOW, ...PROTOCOL, ...args], { cwd, env, stdin }));
  };
  const kept = (await alone(promptLine('begin'))).find(({ type }) => type === 'assistant');
  const resume = ['--resume', String(kept?.session_id)];
  const dropped = randomUUID();
  await alone({ ...promptLine('a wrong way'), uuid: dropped }, ...resume);

  const truncated = ['--fork-session', '--resume-session-at', String(kept?.uuid), '--resume-drops-turn', dropped];
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, ...resume, ...truncated, '-p', 'go on'] });
  expect(run).toMatchObject({ code: 0, stdout: Buffer.from('three\n') });
  expect(givenTexts(mainRequests(world.standin).at(-1)).join('\n')).not.toContain('a wrong way');
});
