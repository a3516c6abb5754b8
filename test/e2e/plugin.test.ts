import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startWorld, type World } from '../support/claude.ts';
import { givenTexts, mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import { prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { expectExact, job } from '../support/exact-job.ts';
import { interactiveClaude, say, settleIn } from '../support/interactive.ts';
import { claudePlugin, installPlugin } from '../support/plugin.ts';
import { kinds } from '../support/proof.ts';
import type { AtTerminal } from '../support/pty.ts';

const UNASKED = ['--dangerously-skip-permissions'];
const poll = <T>(look: () => T) => expect.poll(look, { timeout: 60_000 });

/** A command: what claude completes while it is typed takes the first line end. */
async function command(claude: AtTerminal, text: string): Promise<void> {
  await say(claude, `${text} `);
}

it('installed from the repository: the band, exact compactions, commands, hand-back after /clear, and no file left', {
  timeout: 240_000,
}, async () => {
  await using world = await startWorld(job({ turns: [7, 7, 1, 2] }));
  settleIn(world);
  const before = filesIn(world);
  await installPlugin(world);
  const bin = join(world.scratch.home, 'bin');
  mkdirSync(bin);
  world.scratch.env.PATH = `${bin}:${world.scratch.env.PATH}`;
  {
    await using claude = interactiveClaude(world, UNASKED);
    await claude.shows(/ctxb░+notmeasuredyet/);
    await say(claude, 'never touch legacy');
    await claude.shows(/answer1[\s\S]*14%/);
    expect(summaryRequests(world.standin)).toEqual([]);

    // The end of this turn is the first moment at which it pays.
    await say(claude, 'count them');
    await claude.shows(/compactedhere\(ctrl\+oshowsall\)[\s\S]*Conversationcompacted/);
    await say(claude, 'and go on');
    // A turn of one call, which claude logs after its end.
    await claude.shows(/answer3[\s\S]*\d+%·\w+·[\d,/]+measured/);
    expectExact(world.standin, ['never touch legacy', 'count them', 'and go on']);
    expect(JSON.stringify(mainRequests(world.standin)[14]?.body.messages)).toContain(
      '[ctxb] Done here, one line a step',
    );

    await command(claude, '/ctxb:status');
    await claude.shows(
      /compactsexactlyattheendofaturn[\s\S]*lastcompaction:messagesof\w+→\w+\(−\d+%\)tokens,allpromptskept/,
    );
    await command(claude, '/compact keep the counts');
    await claude.shows(/compacted\d+k→\d+k\(−\d+%\)/);
    await command(claude, '/ctxb:doctor');
    await claude.shows(/compactionsareexact:nocall[\s\S]*npmlink`?inacheckoutofctxbinstallit/);
    // With a fault, the program ends with 3.
    writeFileSync(join(bin, 'ctxb'), '#!/bin/sh\necho "of $*: a fault"; exit 3\n', { mode: 0o755 });
    await command(claude, '/ctxb:doctor');
    await claude.shows(/ofdoctor--quick:afault/);
    await command(claude, '/ctxb:handoff next.md');
    await claude.shows(/next\.md:written/);
    expect(readFileSync(join(world.scratch.cwd, 'next.md'), 'utf8')).toContain('never touch legacy');

    // An exact one, which belongs to the conversation that /clear ends.
    await command(claude, '/compact');
    await command(claude, '/ctxb:status');
    await claude.shows(/lastcompaction:/);
    await command(claude, '/clear');
    await claude.shows(/notmeasuredyet·(?:window1,000,000·)?\$0\.00(?:thissession)?·\/ctxb:backhandsback3prompts/);
    await command(claude, '/ctxb:back');
    await claude.shows(/handedback:3prompts/);
    await command(claude, '/ctxb:status');
    expect(await claude.shows(/\(780,000tokens\)[\s\S]*\$0\.00/)).not.toContain('lastcompaction');
    await say(claude, 'what next');
    await poll(() => toldWith(world, 'what next')).toMatch(/Task: [\s\S]*never touch legacy/);
    await claude.shows(/answer4/);
    await command(claude, '/exit');
    await claude.ended;
  }
  expect(await claudePlugin(world, 'uninstall', 'ctxb@ctxb')).toMatchObject({ code: 0 });
  expect(await claudePlugin(world, 'marketplace', 'remove', 'ctxb')).toMatchObject({ code: 0 });
  expect(filesIn(world)).toEqual([...before, 'next.md'].sort());
  // claude removes its copy later by itself.
  for (const file of ['settings.json', 'plugins/installed_plugins.json', 'plugins/known_marketplaces.json']) {
    expect(readFileSync(join(String(world.scratch.env.CLAUDE_CONFIG_DIR), file), 'utf8')).not.toContain('ctxb');
  }
});

it('inside a run the plugin does nothing', async () => {
  await using world = await startWorld(job({ turns: [5, 3, 3, 2] }));
  await installPlugin(world);
  const four = ['one', 'two', 'three', 'four'];
  const run = await runCtxb(world, {
    flags: prompts(...four),
    claude: SMALL_WINDOW,
    env: { CTXB_COMPACTION_HOW: 'auto' },
  });
  expect(run.code).toBe(0);
  expect(kinds(world)).toEqual(['compact', 'compacted', 'landed']);
  expectExact(world.standin, four);
  const notes = userTexts(mainRequests(world.standin).at(-1)).filter((text) =>
    text.startsWith('[ctxb] The conversation'),
  );
  expect(notes).toHaveLength(1);
});

/** What lies in the folder that claude works in. */
function filesIn({ scratch: { cwd } }: World): string[] {
  return readdirSync(cwd).sort();
}

function toldWith(world: World, prompt: string): string {
  const request = mainRequests(world.standin).find((one) => userTexts(one).at(-1)?.trim() === prompt);
  return givenTexts(request).join('\n');
}
