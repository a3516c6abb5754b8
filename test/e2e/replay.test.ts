import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ReplayReport } from '../../src/replay/sums.ts';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { conversation } from '../support/conversation.ts';
import { CTXB, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { inSoak } from '../support/size.ts';

async function replay({ scratch: { env, cwd } }: World, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runProgram(process.execPath, [CTXB, 'replay', ...args], { env, cwd });
  expect(stderr).toBe('');
  return stdout.toString();
}

/** Where claude has its logs in this world. */
function logs({ scratch: { env } }: World): string {
  return join(env.CLAUDE_CONFIG_DIR ?? '', 'projects');
}

it('prompts are in their turns; --detail and the summary number turns and calls alike', async () => {
  await using world = await startWorld(conversation({ turns: [2, 3, 2, 2], growBy: 22_000 }));
  const record = join(world.scratch.cwd, 'run.ndjson');
  await runCtxb(world, {
    flags: [...prompts('prompt one', 'prompt two', 'prompt three', 'prompt four'), '--record', record],
    claude: SMALL_WINDOW,
  });
  for (const path of [record, logs(world)]) {
    const detail = await replay(world, '--detail', path);
    const story = [...detail.matchAll(/^ +(turn \d)(?=:)|^ +prompt +(.*)$/gm)].map(
      ([, turn, prompt]) => turn ?? prompt,
    );
    expect(story).toEqual(['one', 'two', 'three', 'four'].flatMap((name, at) => [`turn ${at + 1}`, `prompt ${name}`]));
    const decisions = (text: string) => text.match(/^ +ctxb .*$/gm)?.map((line) => line.trim());
    expect(decisions(detail)).toEqual(decisions(await replay(world, path)));
    expect(decisions(detail)?.some((line) => /turn 3, call 6: warning/.test(line))).toBe(true);
  }
});

inSoak('calls that claude copies into the log of a forked session count once', async () => {
  await using world = await startWorld(conversation({ turns: [2, 2, 2], growBy: 1_000 }));
  const { env, cwd } = world.scratch;
  const ask = async (...args: readonly string[]) => {
    const { stdout } = await runProgram(world.claude, [...SMALL_WINDOW, '--output-format', 'json', ...args], {
      env,
      cwd,
    });
    return String(JSON.parse(stdout.toString()).session_id);
  };
  const original = await ask('-p', 'one');
  const fork = await ask('-p', 'two', '--resume', original, '--fork-session');
  const again = await ask('-p', 'three', '--resume', fork, '--fork-session');

  const report = JSON.parse(await replay(world, '--json', logs(world))) as ReplayReport;
  expect(report.totals).toMatchObject({ sessions: 3, calls: 6, copiedCalls: 6 });
  const copied = Object.fromEntries(report.sessions.map((session) => [session.sessionId, session.copied?.from]));
  expect(copied).toEqual({
    [original]: undefined,
    [fork]: [{ session: original, calls: 2 }],
    [again]: expect.arrayContaining([
      { session: original, calls: 2 },
      { session: fork, calls: 2 },
    ]),
  });
  const alone = JSON.parse(
    await replay(world, '--json', join(logs(world), ...(await fileOf(world, again)))),
  ) as ReplayReport;
  expect(alone.totals.usd).toBeCloseTo(report.totals.usd ?? Number.NaN, 6);
});

async function fileOf(world: World, session: string): Promise<string[]> {
  const { sessions } = JSON.parse(await replay(world, '--json', logs(world))) as ReplayReport;
  const file = sessions.find(({ sessionId }) => sessionId === session)?.file ?? expect.unreachable();
  return file.split('/').slice(-2);
}
