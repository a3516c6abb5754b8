import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startWorld, type World } from '../support/claude.ts';
import { conversation } from '../support/conversation.ts';
import { CTXB, SMALL_WINDOW } from '../support/ctxb.ts';
import { interactiveClaude, quoted, say, settleIn } from '../support/interactive.ts';
import { inSoak } from '../support/size.ts';
import { recordedInputs } from '../support/status-inputs.ts';

/** Sets a command as the status line, as a person would. */
function setStatusLine({ scratch: { cwd } }: World, command: string): void {
  mkdirSync(join(cwd, '.claude'));
  const settings = { statusLine: { type: 'command', command } };
  writeFileSync(join(cwd, '.claude', 'settings.local.json'), JSON.stringify(settings));
}

const OURS = quoted([process.execPath, CTXB, 'statusline']);

it('interactive claude shows the status line, which writes no file', async () => {
  await using world = await startWorld(conversation({ turns: [2, 2], from: 50_000, growBy: 20_000 }));
  settleIn(world);
  setStatusLine(world, OURS);
  await using claude = interactiveClaude(world, SMALL_WINDOW);
  await claude.shows(/░notmeasuredyet·window200,000/);
  await say(claude, 'count');
  await claude.shows(/monitor/);
  await say(claude, 'again');
  await claude.shows(/warning/);
  expect(readdirSync(world.scratch.cwd)).toEqual(['.claude']);
  expect(readdirSync(world.scratch.home, { recursive: true })).not.toContain('ctxb');
});

inSoak(
  '150,000 of 200,000 tokens are 75% to ctxb, and 83% to claude, which leaves out the 20,000 for its answer',
  async () => {
    await using world = await startWorld(conversation({ turns: [1], from: 150_000, growBy: 1_000 }));
    settleIn(world);
    setStatusLine(world, OURS);
    // Of other models with this window claude says what is left until it compacts.
    await using claude = interactiveClaude(world, ['--model', 'claude-haiku-4-5', '--dangerously-skip-permissions']);
    await claude.shows(/░notmeasuredyet·window200,000/);
    await say(claude, 'count');
    expect(await claude.shows(/75%·critical[\s\S]*contextused|contextused[\s\S]*75%·critical/)).toContain(
      '83%contextused',
    );
  },
);

type Fields = Readonly<Record<string, unknown>>;

const usageOf = ({ context_window: context }: Fields) => (context as Fields).current_usage;

/** A busy claude may not have these yet. */
const isLate = (field: string) => /^(?:session_name|prompt_id|prompt_cache)$/.test(field);

const fieldNames = (fields: Fields | undefined) =>
  Object.keys(fields ?? {})
    .filter((field) => !isLate(field))
    .sort();

inSoak('the status line gets the recorded input of the newest claude', async () => {
  await using world = await startWorld(conversation({ turns: [1], from: 30_000, growBy: 1_000 }));
  settleIn(world);
  const folder = join(world.scratch.home, 'inputs');
  mkdirSync(folder);
  setStatusLine(world, `f="${folder}/$(date +%s%N)-$$"; cat > "$f.part" && mv "$f.part" "$f.json"`);
  const given = () => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Fields);
  };
  await using claude = interactiveClaude(world, SMALL_WINDOW);
  await claude.shows(/bypasspermissions/);
  await say(claude, 'count');
  await expect.poll(() => given().some(usageOf), { timeout: 60_000 }).toBe(true);
  const recorded = recordedInputs();
  for (const [name, input] of [
    ['status line turn', given().find(usageOf)],
    ['status line empty', given().find((fields) => !usageOf(fields))],
  ] as const) {
    expect(fieldNames(input)).toEqual(fieldNames(recorded[name]));
    expect(fieldNames(input?.context_window as Fields)).toEqual(fieldNames(recorded[name]?.context_window as Fields));
  }
});
