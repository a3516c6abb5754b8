import { expect, it } from 'vitest';
import { promptLine, startProgram, testClaude } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { PROTOCOL } from '../support/ctxb.ts';
import { bash, file, startCaller } from '../support/tool-agents.ts';

/** The account of claude alone relies on this (`reshownContents`). */
it('claude shows whole files that a command has printed again after a summary, but no parts of a pipe or of several', async () => {
  const commands = ['cat a', 'cat -n b', 'cat c d', 'cat e | sort'];
  await using world = await startCaller(() => commands.map(bash));
  for (const name of ['a', 'b', 'c', 'd', 'e']) file(world, name, `CONTENT-${name}\n`);
  const args = [...PROTOCOL, '--dangerously-skip-permissions'];
  const program = startProgram(await testClaude(), args, { env: world.scratch.env, cwd: world.scratch.cwd });
  for (const prompt of ['go', '/compact', 'go on']) {
    program.send(promptLine(prompt));
    await program.waitForLine(({ type }) => type === 'result');
  }
  program.stdin.end();
  await program.finished;
  const after = JSON.stringify(mainRequests(world.standin).at(-1)?.body.messages);
  expect([...after.matchAll(/CONTENT-\w/g)].map(String).sort()).toEqual(['CONTENT-a', 'CONTENT-b']);
});
