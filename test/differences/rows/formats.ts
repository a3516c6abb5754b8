import { BOTH_WAYS, bash, FREE, type Group, JSON_OUT, STREAM_OUT, said } from '../row.ts';

const TWO_CALLS = { calls: [bash('echo one; echo two'), { text: 'Done.' }] };
const THOUGHTS = { calls: [{ thinking: 'Let me see.', text: 'Seen.' }] };

export const FORMATS: Group = {
  title: 'Output formats',
  rows: [
    { name: 'text', claude: ['-p', 'hello'] },
    { name: 'text without -p', claude: ['hello'] },
    {
      name: 'text with blank lines at both ends',
      scenario: { calls: [{ text: '\n\nHi  \n\n' }] },
      claude: ['-p', 'hello'],
    },
    { name: 'an answer without text', scenario: { calls: [{}] }, claude: ['-p', 'hello'] },
    { name: 'json', claude: ['-p', 'hello', ...JSON_OUT] },
    { name: 'json --verbose', claude: ['-p', 'hello', ...JSON_OUT, '--verbose'] },
    { name: 'stream-json', claude: ['-p', 'hello', ...STREAM_OUT] },
    { name: 'stream-json with a tool', scenario: TWO_CALLS, claude: ['-p', 'hello', ...STREAM_OUT, FREE] },
    {
      name: 'stream-json with partial messages',
      scenario: TWO_CALLS,
      claude: ['-p', 'hello', ...STREAM_OUT, '--include-partial-messages', FREE],
    },
    {
      name: 'thinking in partial messages',
      scenario: THOUGHTS,
      claude: ['-p', 'hello', ...STREAM_OUT, '--include-partial-messages'],
    },
  ],
};

export const STDIN: Group = {
  title: 'Ways to give the prompt',
  rows: [
    { name: 'an argument and a pipe', claude: ['-p', 'hello'], stdin: 'piped\n' },
    { name: 'a pipe only', claude: ['-p'], stdin: 'piped\n' },
    { name: 'no prompt', claude: ['-p'] },
    { name: 'only blanks as a prompt', claude: ['-p', '  '] },
    { name: 'a line on stdin', claude: BOTH_WAYS, stdin: said('hello') },
    {
      name: 'a line on stdin with a uuid',
      claude: BOTH_WAYS,
      stdin: said('hello', { uuid: '11111111-2222-4333-8444-555555555555' }),
    },
    { name: 'a line on stdin, echoed', claude: [...BOTH_WAYS, '--replay-user-messages'], stdin: said('hello') },
    {
      name: 'a line on stdin with a uuid, echoed',
      claude: [...BOTH_WAYS, '--replay-user-messages'],
      stdin: said('hello', { uuid: '11111111-2222-4333-8444-555555555555' }),
    },
    { name: 'no line on stdin', claude: BOTH_WAYS },
    { name: 'a broken line on stdin', claude: BOTH_WAYS, stdin: 'not json\n' },
    {
      name: 'a newer control request',
      claude: BOTH_WAYS,
      stdin: `${JSON.stringify({ type: 'control_request', request_id: 'peers', request: { subtype: 'set_peer_delivery', shows_held_messages: true } })}\n${said('hello')}`,
    },
    { name: 'an argument beside lines on stdin', claude: [...BOTH_WAYS, 'ignored'], stdin: said('hello') },
    {
      name: 'two lines, the second after the first result',
      claude: BOTH_WAYS,
      scenario: { calls: [{ text: 'one' }, { text: 'two' }] },
      async during(program) {
        program.stdin.write(said('first'));
        await program.waitForLine(({ type }) => type === 'result');
        program.stdin.write(said('second'));
      },
    },
  ],
};
