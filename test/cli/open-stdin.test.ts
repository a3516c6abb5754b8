import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { openStdin } from '../../src/cli/command.ts';
import { runProgram } from '../support/claude.ts';
import { CTXB, untilClosing } from '../support/ctxb.ts';
import { atTerminal } from '../support/pty.ts';
import { createPlace, fakeArguments, type Place } from './fakes.ts';

it('opens stdin only if it is named', async () => {
  let opened = 0;
  const io = {
    get stdin() {
      opened++;
      return Readable.from(['x']);
    },
  };
  expect(await text(openStdin(['a.ndjson'], io))).toBe('');
  expect(opened).toBe(0);
  expect(await text(openStdin(['a.ndjson', '-'], io))).toBe('x');
});

describe('a stdin that is open for writing only, as nohup leaves it, is empty', () => {
  const emptied = async (place: Place, words: readonly string[], redirection: string) =>
    untilClosing(
      await runProgram('bash', ['-c', `"$@" ${redirection}`, 'bash', process.execPath, CTXB, ...words], place),
    );

  it.each([
    { command: 'run', words: fakeArguments({ fake: 'answers', claude: ['-p', 'hello'] }) },
    { command: 'replay', words: ['replay'] },
    { command: 'statusline', words: ['statusline'] },
  ])('for ctxb $command', async ({ words }) => {
    await using place = await createPlace();
    const atItsEnd = await emptied(place, words, '< /dev/null');
    const { closing: _, ...opened } = await emptied(place, words, '0> /dev/null');
    expect(atItsEnd).toMatchObject(opened);
    expect(atItsEnd.stderr).not.toContain('EBADF');
  });
});

it.each(['runs', 'compact'])('ctxb %s is not stopped as a background job of a terminal', async (command) => {
  await using place = await createPlace();
  const job = `set -m; "${process.execPath}" "${CTXB}" ${command} & wait $!; echo "ended: $?"; kill -9 %% 2>/dev/null`;
  await using terminal = atTerminal(`bash -c '${job}'`, place);
  expect(await terminal.shows(/ended:\d+/)).toMatch(/ended:[02]$/);
});
