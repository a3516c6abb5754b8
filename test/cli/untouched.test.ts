import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createPlace, runFake } from './fakes.ts';

it.each([
  { title: '--help', claude: ['--help'] },
  { title: '--version', claude: ['-v'] },
  { title: 'a command', claude: ['mcp', 'list'] },
  { title: 'arguments that claude refuses', claude: ['-p', 'hi', '--output-format', 'stream-json'] },
  { title: 'a format claude does not know', claude: ['-p', 'hi', '--output-format', 'xml'] },
])('leaves $title to claude: same arguments, stdin, stdout, stderr and exit code', async ({ claude }) => {
  await using place = await createPlace();
  const run = await runFake(place, { fake: 'shows-world', claude, stdin: 'some\r\ninput' });
  expect(JSON.parse(run.stdout.toString())).toEqual({ args: claude, stdin: 'some\r\ninput' });
  expect(run).toMatchObject({ code: 7, stderr: 'a word on stderr\n' });
  expect(existsSync(place.path('.context'))).toBe(false);
});

it('works with an invalid configuration', async () => {
  await using place = await createPlace();
  await place.file('.contextbudgetrc', '{"windw": 1}');
  const run = await runFake(place, { fake: 'shows-world', claude: ['--help'] });
  expect(run.code).toBe(7);
});

it('a signal that ends claude becomes 128 + its number', async () => {
  await using place = await createPlace();
  const run = await runFake(place, {
    fake: 'kills-itself',
    claude: ['--help'],
    stdin: '{"type":"user","message":{"content":"x"}}\n',
    env: { PLAY_SIGNAL: 'SIGKILL' },
  });
  expect(run).toMatchObject({ code: 137, signal: null });
});
