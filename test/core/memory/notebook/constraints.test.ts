import { describe, expect, it } from 'vitest';
import { constraintsIn } from '../../../../src/core/memory/notebook/constraints.ts';
import { createRequests } from '../../../../src/core/memory/notebook/requests.ts';
import { cpuMs } from '../../../support/cpu-time.ts';

describe('finds lasting rules, in whole sentences and verbatim', () => {
  it.each([
    'Always pass --seed 4711 to bin/check.',
    'Never change anything in vendor/abc.',
    'Port 9100 belongs to staging, so never start a server on it; take 8080.',
    'Only run bin/load with --limit 100, never without a limit.',
    'Every line in CHANGES must begin with OPS-77.',
    'Deploy to host-x1 only, never to the default host.',
    'Keep the owner team-9 on new tables.',
    'Publish drafts only, with the label draft-3.',
    "Don't touch the migrations.",
    'do not edit generated files',
    'dont push to main',
    'Please don’t add dependencies.',
    'You must not use eval.',
    'Tests must run without network.',
    'It must stay compatible with Node 18.',
    'Avoid global state.',
    'Please avoid any new packages.',
    'Use pnpm instead of npm.',
    'Use tabs, not spaces.',
    'Actually, use 8081.',
    'actually use 8081',
    'No, take 8081 instead.',
    'Sorry, it is 8081, not 8080.',
    'Use port 8081.',
    'For the tests use port 5433.',
    'When you deploy, never skip the smoke test.',
    'Prefer composition over inheritance.',
    'We prefer small commits.',
    'No new dependencies.',
    'No emojis in commit messages, please.',
    'Write it without any framework.',
    'The staging host is db-7.internal.',
    'The port is 8081.',
    'Our branch is release/2.4.',
    'The retry limit stays 12.',
    'Make sure that the lockfile does not change.',
    'Remember to run the formatter before each commit.',
    'src/legacy is off limits.',
    'config/prod.yaml is read-only.',
    'Leave src/a.ts and src/b.ts untouched.',
    'Stick to the style of the file.',
    'Ask me before you delete anything.',
    'Nothing goes out without asking.',
    'You should never log tokens.',
    'The API should not change.',
    'Timeouts shall not exceed 30 s.',
    "I don't want any new abstractions.",
    'We only support Linux.',
    'We never commit on Fridays.',
    'Functions may have at most 25 lines.',
    'Commit messages in English only, so keep them short.',
    'Add tests for everything, but never mock the database.',
    'Could you please never touch the lockfile?',
    'From now on answer in German.',
    'Use tabs for indentation.',
    'Use vitest for all new tests.',
    'No, spaces.',
    'Scratch that, two spaces.',
    'Tabs after all in Makefiles, spaces everywhere else.',
    "Actually, let's go with spaces instead of tabs.",
    'I would rather have the API return 404 than 400 there.',
    'INFO panels must be blue.',
    'src/a.ts:10:3 must be fixed',
    'Name the branch feat/clock.',
    'Pass `--no-cache` to every build.',
    'All handlers go in src/handlers/http.',
    'Run the tests with --runInBand only.',
    'Log to stderr, never to stdout, e.g. with console.error.',
    'Under no circumstances change vendor/abc.',
    'You may use port 8080 again now.',
    'You can touch the migrations again.',
    'Forget the rule about port 8080.',
    'Ignore what I said about emojis.',
    'The rule about --seed no longer applies.',
    'You no longer need to pass --seed.',
    'It is fine to push to main now.',
    'Pushing to main is allowed again.',
    'I changed my mind: use npm.',
    'Feel free to change vendor/abc.',
  ])('%s', (text) => {
    expect(constraintsIn(text)).toStrictEqual([text]);
    const [before, after] = ['The parser reads the lines and counts them.', 'Then look at the result and tell me.'];
    expect(constraintsIn(`${before} ${text} ${after}`.replace(/(?<![.!?]) Then/, '. Then'))).toHaveLength(1);
  });
});

describe('ignores statements, questions and one-time requests', () => {
  it.each([
    'Write the plan and test it.',
    'Go on.',
    'Read src/a.ts, src/b.ts and look at each with bin/inspect.',
    'Fix the bug in src/clock.ts.',
    'Add a test for week 53.',
    'Task 3: give each limit of billing its real value.',
    'Check, load, publish and deploy as usual.',
    'The test always fails on CI.',
    'It never worked.',
    'This never returns.',
    'I never understood that part.',
    'It only fails on Windows.',
    'There is only one file.',
    'Why must this be async?',
    'Do you always need two calls?',
    'Which port do we use?',
    'It must be a race condition.',
    'That must have been the cache.',
    'I must admit that I like it.',
    "I don't know why.",
    "Don't worry.",
    'Never mind.',
    'No problem.',
    'No, that is fine.',
    'No idea why it does that.',
    'No tests were found.',
    'No test failed.',
    'Keep going.',
    'Keep working on it.',
    'He keeps the list in order.',
    'To avoid races it takes a lock.',
    'Use the log to find out why it hangs.',
    'The run took 45 minutes.',
    'Thanks, that works.',
    'The server is slow.',
    'We have 12 tasks.',
    'Now the long part.',
    'Show me the diff.',
    'What is the port?',
    'TypeError: value must be a string',
    'error: you must specify a branch',
    '2026-11-22 10:00:01 worker must not be null',
    'at mustBe (src/a.ts:3:4)',
    'const only = always(1);',
    'Der Test schlägt immer fehl.',
    'Es geht nur lokal.',
    'Kein Problem.',
    'Keine Ahnung, warum.',
    'Lies die Datei und teste sie.',
    'You can see the error in line 300 again.',
    'You can run the tests now.',
    'It is fine now.',
    'The server is up again.',
    'It no longer fails.',
    'Forget the last question.',
    'Es läuft jetzt wieder.',
    'Le test échoue toujours.',
    'I never know which.',
    'Nope, same error.',
    'It works after all.',
    'Tests pass everywhere else.',
    'Nein, weiter.',
    'Use the browser for testing.',
    "Let's see what the test says.",
    'このテストは必ず失敗します。',
    'npm ERR! You must use Node 20 only',
    '"branch": "main",',
    '{"id": "5859965f", "must": "never"}',
    '  "always": true,',
    '[INFO] Ready. Do not stop.',
    'WARN  worker: never reuse it. Always call close().',
    'src/a.ts:10:3: error TS1: x is y. You must not do that.',
  ])('%s', (text) => {
    expect(constraintsIn(text)).toStrictEqual([]);
  });
});

it('keeps earlier rules when a prompt full of pasted rules arrives', () => {
  const requests = createRequests();
  const say = (text: string, number: number) => requests.add({ kind: 'prompt', t: 0, text, pictures: 0 }, number);
  say('Never touch src/bell.ts.', 1);
  const pasted = Array.from({ length: 1_000 }, (_, at) => `The value of key ${at} must be set.`).join('\n');
  say(`Always use port 8081.\n${pasted}\nNever push.`, 2);
  expect(requests.constraints()).toHaveLength(101);
  for (const text of ['Never touch src/bell.ts.', 'Always use port 8081.', 'Never push.']) {
    expect(requests.constraints()).toContain(text);
  }
});

describe('in lists and beside other text', () => {
  it('treats each item as a sentence', () => {
    const text = `Please build the importer.

Rules:
- never write to src/a.ts or
  src/b.ts
- Use port 8081.
* node 20
1. The parser first.

Then:
- the parser
- the printer`;
    expect(constraintsIn(text)).toStrictEqual([
      'never write to src/a.ts or src/b.ts',
      'Use port 8081.',
      'Rules: node 20',
      'Rules: The parser first.',
    ]);
  });

  it('includes the introduction of a list of forbidden items', () => {
    expect(constraintsIn('Do not change:\n- vendor/a\n- the lockfile\n')).toStrictEqual([
      'Do not change:',
      'Do not change: vendor/a',
      'Do not change: the lockfile',
    ]);
  });

  it('ignores code blocks; paths, versions and abbreviations do not end a sentence', () => {
    const text =
      'Never edit src/a.ts, e.g. with sed. Use v1.2.3 of it, etc. as before! Read `a. Never b.` first.\n```\nnever do this\n```\nDone.';
    expect(constraintsIn(text)).toStrictEqual([
      'Never edit src/a.ts, e.g. with sed.',
      'Use v1.2.3 of it, etc. as before!',
    ]);
  });

  it('joins a line that an editor wrapped', () => {
    const text =
      'The importer reads all the files of the folder and writes them. Never start a\nserver on port 9100, which belongs to staging.\nGo on.';
    expect(constraintsIn(text)).toStrictEqual(['Never start a server on port 9100, which belongs to staging.']);
  });

  it("ignores pasted lines between the user's words", () => {
    const log = '2026-01-01T12:00:00Z [worker-1] WARN  it must not be reused here. Always call close() before.\n';
    const stack = '    at com.foo.Bar.baz(Bar.java:10)\nCaused by: it must be open. Never close it.\n';
    expect(constraintsIn(`Fix this:\n${`${log}${stack}`.repeat(500)}and never change the API.`)).toStrictEqual([
      'and never change the API.',
    ]);
  });

  it('ends sentences without a following blank in languages that have none', () => {
    expect(constraintsIn('エラーが出ます。Never touch src/legacy。次へ。')).toStrictEqual(['Never touch src/legacy。']);
  });

  it('stays fast for a long text', () => {
    for (const words of [
      'never '.repeat(100_000),
      'a, '.repeat(200_000),
      '`'.repeat(300_000),
      'only x '.repeat(90_000),
    ]) {
      expect(cpuMs(() => constraintsIn(words))).toBeLessThan(5_000);
    }
  });
});
