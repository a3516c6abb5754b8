import { describe, expect, it } from 'vitest';
import {
  commandFact,
  deadEndFact,
  type Fact,
  mentionsFact,
  pathFact,
  promptFact,
  searchable,
} from '../../../../src/core/memory/notebook/fact.ts';

interface Case {
  readonly text: string;
  readonly is: boolean;
}

function table(name: string, fact: Fact, cases: readonly Case[]): void {
  describe(name, () => {
    it.each(cases)('$is: $text', ({ text, is }) => {
      expect(mentionsFact(searchable(text), fact)).toBe(is);
    });
  });
}

table('a command that failed, make test', commandFact('failing', 'make test'), [
  { text: '- `make test` exit 2 `Error: 3 is not 2`', is: true },
  { text: 'We ran "make test": it fails.', is: true },
  { text: '1. make test\n   fails with an error', is: true },
  { text: '    $ make test\n    make: *** [test] Error 2', is: true },
  { text: '`make test` exit 0', is: false },
  { text: 'We ran `make test`.', is: false },
  { text: '`make test -j4` exit 2', is: false },
  { text: '`cd app && make test` fails', is: false },
  { text: 'The tests that make tests fail', is: false },
  { text: 'make all; the test fails', is: false },
  { text: '`make test`\n\none\ntwo\nthree\nfour\nanother thing failed', is: false },
  { text: '', is: false },
]);

table('a command, npm test', commandFact('commands', 'npm test'), [
  { text: 'npm test', is: true },
  { text: 'Ran: npm test.', is: true },
  { text: '- npm test (all green)', is: true },
  { text: '**npm test**: green', is: true },
  { text: 'NPM  test', is: true },
  { text: 'run npm test and go on', is: false },
  { text: 'npm tests', is: false },
  { text: '`npm test -- --run clock`', is: false },
  { text: '`pnpm test`', is: false },
]);

table('a command with quotation marks', commandFact('again', 'grep "a  b" src'), [
  { text: "ran `grep 'a b' src` twice", is: true },
  { text: "ran `grep 'a b' src/x` twice", is: false },
]);

table('a command of several lines', commandFact('again', 'cat > f <<EOF\none\nEOF'), [
  { text: '```\ncat > f <<EOF\none\nEOF\n```', is: true },
  { text: '- `cat > f <<EOF one EOF` exit 0', is: true },
  { text: '`cat > f <<EOF`', is: false },
]);

table('a long command', commandFact('again', `make ${'x'.repeat(400)}`), [
  { text: `\`make ${'x'.repeat(115)}\` exit 0`, is: true },
  { text: `\`make ${'x'.repeat(100)}\` exit 0`, is: false },
]);

table('a file', pathFact('src/clock.ts'), [
  { text: 'I changed `src/Clock.ts`.', is: true },
  { text: '**src/clock.ts** edited 3 times', is: true },
  { text: '- `/home/dev/project/src/clock.ts`\n  - Added a tick', is: true },
  { text: 'See src/clock.ts for more', is: true },
  { text: 'I changed src/clock.tsx', is: false },
  { text: 'I changed src/clock.ts.bak', is: false },
  { text: 'I changed lib/src/clock.ts', is: false },
  { text: 'I changed clock.ts', is: false },
]);

table('a file without a folder', pathFact('a.txt'), [
  { text: 'It says so in a.txt.', is: true },
  { text: 'It says so in /tmp/a.txt.', is: false },
  { text: 'It says so in data.txt.', is: false },
]);

table('a prompt', promptFact('Never use port 8080.'), [
  { text: 'The user said: "Never use port 8080."', is: true },
  { text: '- never use port 8080', is: true },
  { text: 'Go on. Never use port 8080! Then stop.', is: true },
  { text: 'Never use port `8080`.', is: true },
  { text: 'Never use port 8080 in tests.', is: false },
  { text: 'Never use port 80801.', is: false },
  { text: 'Do never use port 8080.', is: false },
  { text: 'Do not use port 8080.', is: false },
]);

table('a dead end', deadEndFact('`make test` failed 3 times with `Error: no`'), [
  { text: 'Did not work:\n- `make test` failed 3 times with `Error: no`', is: true },
  { text: '`make test` does not work', is: true },
  { text: '`make test` is next', is: false },
  { text: 'it failed 3 times', is: false },
]);

table('a dead end without a quotation', deadEndFact('a cron job for it'), [
  { text: 'Tried: a cron job for it', is: true },
  { text: 'a job for it', is: false },
]);

table('a prompt in Japanese', promptFact('src/legacy には触らないでください。'), [
  { text: '- src/legacy には触らないでください', is: true },
  { text: '旧src/legacy には触らないでください。', is: false },
]);

table('a long prompt', promptFact(`Never use port 8080. ${'Then mend the clock. '.repeat(20)}`), [
  { text: `- #1: Never use port 8080. ${'Then mend the clock. '.repeat(20)}`, is: true },
  { text: 'Never use port 8080. Then mend the clock.', is: false },
]);
