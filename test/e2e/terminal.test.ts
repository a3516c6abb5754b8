import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RecordedRequest } from '../../src/standin/scenario.ts';
import { startWorld } from '../support/claude.ts';
import { conversation, givenTexts, mainRequests, userTexts } from '../support/conversation.ts';
import { CTXB, SMALL_WINDOW } from '../support/ctxb.ts';
import { initTerminal, interactiveClaude, quoted, say, settleIn } from '../support/interactive.ts';
import { atTerminal } from '../support/pty.ts';
import { inSoak } from '../support/size.ts';

/** As long as the test may take. */
const poll = <T>(look: () => T) => expect.poll(look, { timeout: 60_000 });

it('interactive claude shows the status line, and its hooks keep the notes', async () => {
  await using world = await startWorld(conversation({ turns: [2, 2], from: 50_000, growBy: 20_000 }));
  const { cwd } = world.scratch;
  settleIn(world);
  await initTerminal(world);

  const session = () => readdirSync(join(cwd, '.context', 'sessions'))[0] ?? '';
  const notes = () => {
    if (!existsSync(join(cwd, '.context', 'sessions'))) return '';
    const path = join(cwd, '.context', 'sessions', session(), 'human-input.md');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };

  await using claude = interactiveClaude(world, SMALL_WINDOW);
  await claude.shows(/░notmeasuredyet·window200,000/);
  await say(claude, 'count');
  await claude.shows(/monitor/);
  // They are written at the end of the turn; what is typed before would belong to it.
  await poll(notes).toContain('count');
  await say(claude, 'again');
  await claude.shows(/warning/);
  await poll(notes).toMatch(/count[\s\S]*again/);
  expect(readFileSync(join(cwd, '.context', 'hooks', session(), 'window.json'), 'utf8')).toBe('200000');
  // For sessions without a status line.
  const windows = readFileSync(join(world.scratch.home, '.local', 'state', 'ctxb', 'windows.json'), 'utf8');
  expect(Object.values(JSON.parse(windows))).toEqual([200_000]);
});

inSoak(
  '150,000 of 200,000 tokens are 75% to ctxb, and 83% to claude, which leaves out the 20,000 for its answer',
  async () => {
    await using world = await startWorld(conversation({ turns: [1], from: 150_000, growBy: 1_000 }));
    settleIn(world);
    await initTerminal(world);
    // Of other models with this window claude says what is left until it compacts.
    await using claude = interactiveClaude(world, ['--model', 'claude-haiku-4-5', '--dangerously-skip-permissions']);
    await claude.shows(/░notmeasuredyet·window200,000/);
    await say(claude, 'count');
    expect(await claude.shows(/75%·critical[\s\S]*contextused|contextused[\s\S]*75%·critical/)).toContain(
      '83%contextused',
    );
  },
);

inSoak('after /clear the notes are those of the same claude, of several in one folder', async () => {
  const answers = (request: RecordedRequest) => ({ text: `Heard: ${saidLast(request)}`, context: 40_000 });
  await using world = await startWorld({ calls: answers });
  settleIn(world);
  await initTerminal(world);
  const begin = async (task: string) => {
    const claude = interactiveClaude(world, ['--dangerously-skip-permissions']);
    await claude.shows(/bypasspermissions/);
    await say(claude, task);
    await claude.shows(new RegExp(`Heard:${task}[\\s\\S]*40,0`));
    return claude;
  };
  await using one = await begin('paint');
  await using two = await begin('count');
  for (const claude of [one, two]) {
    await say(claude, '/clear ');
    await claude.shows(/notmeasuredyet/);
  }
  const toldWith = (prompt: string) =>
    givenTexts(mainRequests(world.standin).find((request) => saidLast(request) === prompt)).join('\n');
  await say(one, 'goon');
  await poll(() => toldWith('goon')).toMatch(/Notes of this session are kept in[\s\S]*Task: paint/);
  await say(two, 'andnow');
  await poll(() => toldWith('andnow')).toMatch(/Notes of this session are kept in[\s\S]*Task: count/);
});

const saidLast = (request: RecordedRequest) => userTexts(request).at(-1) ?? '';

it('ctxb init asks the person at the terminal', async () => {
  await using world = await startWorld({ calls: [] });
  const { env, cwd } = world.scratch;
  const settings = join(cwd, '.claude', 'settings.json');
  const command = quoted([process.execPath, CTXB, 'init', '--claude-settings', 'project']);
  await using first = atTerminal(command, { env, cwd });
  await first.shows(/Writethis\?\[y\/N\]/);
  first.type('\r');
  expect(await first.ended).toBe(0);
  expect(existsSync(settings)).toBe(false);

  await using second = atTerminal(command, { env, cwd });
  await second.shows(/Writethis\?\[y\/N\]/);
  second.type('y\r');
  expect(await second.ended).toBe(0);
  expect(existsSync(settings)).toBe(true);
});
