import { describe, expect, it } from 'vitest';
import { childArguments, type HeadlessInvocation, readClaudeArguments } from '../../src/claude/claude-arguments.ts';

const OURS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const HIDDEN = ['--thinking-display', 'omitted'];
const STREAMS = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

function headless(argv: readonly string[]): HeadlessInvocation {
  const invocation = readClaudeArguments(argv);
  if (invocation.kind !== 'headless') throw new Error(`expected a headless run, got ${JSON.stringify(invocation)}`);
  return invocation;
}

interface PromptCase {
  readonly title: string;
  readonly argv: readonly string[];
  readonly prompt?: string;
  readonly passed?: readonly string[];
}

// The expected prompt of each is what the real binary sent to a Messages API on loopback, or refused for want of one.
const VERIFIED: readonly PromptCase[] = [
  { title: 'a prompt behind -p', argv: ['-p', 'hi'], prompt: 'hi' },
  { title: 'a prompt without -p', argv: ['hello'], prompt: 'hello' },
  { title: 'a prompt before -p', argv: ['one', '-p', 'two'], prompt: 'one' },
  { title: 'the first of two prompts', argv: ['-p', 'one', 'two'], prompt: 'one' },
  {
    title: 'a variadic option that swallows the prompt',
    argv: ['-p', '--allowedTools', 'Read', 'my prompt'],
    passed: ['--allowedTools', 'Read', 'my prompt'],
  },
  {
    title: 'an empty first value of a variadic option',
    argv: ['-p', '--tools', '', 'hello'],
    passed: ['--tools', '', 'hello'],
  },
  {
    title: 'a variadic option whose first value is -p',
    argv: ['-p', '--tools', '-p', 'hello'],
    passed: ['--tools', '-p', 'hello'],
  },
  {
    title: 'a variadic option with =, which takes one value',
    argv: ['-p', '--allowedTools=Read', 'Edit'],
    prompt: 'Edit',
    passed: ['--allowedTools=Read'],
  },
  {
    title: 'a variadic option ended by another option',
    argv: ['-p', '--allowedTools', 'Read', '--verbose', 'hello'],
    prompt: 'hello',
    passed: ['--allowedTools', 'Read'],
  },
  {
    title: 'a variadic option ended by --',
    argv: ['-p', '--tools', 'Read', '--', 'after'],
    prompt: 'after',
    passed: ['--tools', 'Read'],
  },
  { title: 'a dashed prompt behind --', argv: ['-p', '--', '--dashed prompt'], prompt: '--dashed prompt' },
  { title: 'the first of two words behind --', argv: ['-p', '--', 'one', 'two'], prompt: 'one' },
  { title: 'words on both sides of --', argv: ['-p', 'hello', '--', 'second'], prompt: 'hello' },
  {
    title: '-- as the value of an option',
    argv: ['-p', '--model', '--', 'hello'],
    prompt: 'hello',
    passed: ['--model', '--'],
  },
  {
    title: 'an option as the value of an option',
    argv: ['-p', '--model', '--print', 'hello'],
    prompt: 'hello',
    passed: ['--model', '--print'],
  },
  { title: 'an optional value that takes the prompt', argv: ['-p', '-d', 'hello'], passed: ['-d', 'hello'] },
  { title: 'an optional value behind a cluster', argv: ['-pd', 'hello'], passed: ['-d', 'hello'] },
  { title: 'an attached optional value', argv: ['-dapi', 'hello'], prompt: 'hello', passed: ['-dapi'] },
  { title: 'an attached optional value with =', argv: ['-d=api', 'hello'], prompt: 'hello', passed: ['-d=api'] },
  { title: 'an attached required value', argv: ['-p', '-nfoo', 'hello'], prompt: 'hello', passed: ['-nfoo'] },
  { title: 'a cluster of flags', argv: ['-pc', 'hello'], prompt: 'hello', passed: ['-c'] },
  { title: 'a short option of three letters', argv: ['-p', '-d2e', 'hello'], prompt: 'hello', passed: ['-d2e'] },
  { title: 'a lone dash', argv: ['-p', '-', 'hello'], prompt: '-' },
  { title: 'an empty prompt, which is none', argv: ['-p', '', 'hello'] },
  { title: 'the word code, which is none', argv: ['-p', 'code'] },
  { title: 'the name of a command behind -p', argv: ['-p', 'mcp'], prompt: 'mcp' },
  { title: 'the name of a command before -p', argv: ['mcp', '-p'], prompt: 'mcp' },
  { title: 'a first word that is not first', argv: ['-p', 'stop'], prompt: 'stop' },
  { title: 'help, which is not a command', argv: ['help'], prompt: 'help' },
  { title: 'a command of old versions', argv: ['config'], prompt: 'config' },
  {
    title: 'a hidden option with a value',
    argv: ['-p', '--max-turns', '3', 'hello'],
    prompt: 'hello',
    passed: ['--max-turns', '3'],
  },
  { title: '--remote-control with -p', argv: ['-p', '--rc', '--', 'hello'], prompt: 'hello', passed: ['--rc'] },
  {
    title: 'prompt suggestions that are off',
    argv: ['-p', '--prompt-suggestions', 'false', 'hello'],
    prompt: 'hello',
    passed: ['--prompt-suggestions', 'false'],
  },
];

const READ: readonly PromptCase[] = [
  { title: 'nothing at all', argv: [] },
  { title: '--print', argv: ['--print', 'hi'], prompt: 'hi' },
  { title: 'an attached session id', argv: ['-prID', 'hi'], prompt: 'hi', passed: ['-rID'] },
  { title: 'a session id as its own word', argv: ['-r', 'ID', 'hi', '-p'], prompt: 'hi', passed: ['-r', 'ID'] },
  { title: 'a session id with =', argv: ['--resume=ID', 'hi', '-p'], prompt: 'hi', passed: ['--resume=ID'] },
  {
    title: 'a value with = and line breaks',
    argv: ['--system-prompt=a=b\nc', 'hi'],
    prompt: 'hi',
    passed: ['--system-prompt=a=b\nc'],
  },
  {
    title: 'an alias',
    argv: ['--allowed-tools', 'Read', 'Edit', '-p', 'hi'],
    prompt: 'hi',
    passed: ['--allowed-tools', 'Read', 'Edit'],
  },
  {
    title: 'repeated options in order',
    argv: ['--plugin-dir', 'a', 'hi', '--plugin-dir', 'b'],
    prompt: 'hi',
    passed: ['--plugin-dir', 'a', '--plugin-dir', 'b'],
  },
  {
    title: 'a value that looks like a format',
    argv: ['--system-prompt', '--output-format', 'hi'],
    prompt: 'hi',
    passed: ['--system-prompt', '--output-format'],
  },
  {
    title: 'a dashed value',
    argv: ['--append-system-prompt', '- be brief', 'hi'],
    prompt: 'hi',
    passed: ['--append-system-prompt', '- be brief'],
  },
  { title: 'an option of 1.0.128', argv: ['--mcp-debug', 'hi'], prompt: 'hi', passed: ['--mcp-debug'] },
  { title: 'an unknown option with =', argv: ['-p', '--new=1', 'hi'], prompt: 'hi', passed: ['--new=1'] },
  {
    title: 'a value given to a flag, which claude refuses itself',
    argv: ['--verbose=1', 'hi'],
    prompt: 'hi',
    passed: ['--verbose=1'],
  },
  { title: 'an unknown option at the end', argv: ['-p', 'hi', '--new'], prompt: 'hi', passed: ['--new'] },
  { title: 'an unknown option before --', argv: ['-p', '--new', '--', 'hi'], prompt: 'hi', passed: ['--new'] },
  {
    title: 'an unknown option and its value behind the prompt',
    argv: ['hi', '--new', 'x'],
    prompt: 'hi',
    passed: ['--new', 'x'],
  },
  {
    title: 'an unknown option with two values behind the prompt',
    argv: ['hi', '--new', 'x', 'y'],
    prompt: 'hi',
    passed: ['--new', 'x', 'y'],
  },
  {
    title: 'an unknown option, its value and the prompt',
    argv: ['-p', '--new', 'x', 'hi'],
    prompt: 'hi',
    passed: ['--new', 'x'],
  },
  {
    title: 'an unknown option, its value, an option and the prompt',
    argv: ['--new', 'x', '-p', 'hi'],
    prompt: 'hi',
    passed: ['--new', 'x'],
  },
  {
    title: 'options of 2.1.330, with and without a value',
    argv: ['--autocompact', '120000', '--restricted', 'hi'],
    prompt: 'hi',
    passed: ['--autocompact', '120000', '--restricted'],
  },
  {
    title: 'two unknown options with values and the prompt',
    argv: ['--new', 'x', '--newer', 'y', 'hi'],
    prompt: 'hi',
    passed: ['--new', 'x', '--newer', 'y'],
  },
];

describe('readClaudeArguments finds the prompt', () => {
  it.each(VERIFIED)('$title (verified with claude 2.1.197 and 2.1.330)', expectPrompt);
  it.each(READ)('$title', expectPrompt);

  function expectPrompt({ argv, prompt, passed = [] }: PromptCase) {
    const invocation = headless(argv);
    expect({ prompt: invocation.prompt, passed: invocation.passed }).toEqual({ prompt, passed });
    expect(childArguments(invocation)).toEqual([...OURS, ...(invocation.hidesThoughts ? HIDDEN : []), ...passed]);
  }

  it.each([
    { title: 'all but the first word', argv: ['fix', 'the', '-p', 'bug'], ignored: ['the', 'bug'] },
    { title: 'all behind an empty prompt', argv: ['', 'hello'], ignored: ['hello'] },
    { title: 'nothing of a quoted prompt', argv: ['-p', 'fix the bug'], ignored: [] },
  ])('reports the words that claude ignores: $title', ({ argv, ignored }) => {
    expect(headless(argv).ignoredWords).toEqual(ignored);
  });

  it('does not let a dropped option pass words to the option before it', () => {
    const { passed, prompt } = headless(['--allowedTools', 'Read', '--verbose', 'one', 'two']);
    expect({ passed, prompt }).toEqual({ passed: ['--allowedTools', 'Read'], prompt: 'one' });
  });

  it('leaves its argument unchanged', () => {
    const argv = Object.freeze(['-pc', '--tools', 'Read', '--', 'hi']);
    expect(headless(argv).prompt).toBe('hi');
  });
});

describe('readClaudeArguments with an unknown option', () => {
  it.each([
    { title: 'one word behind it', argv: ['-p', '--new', 'x'], option: '--new', candidate: 'x' },
    { title: 'a short option', argv: ['-p', '-x', 'hi'], option: '-x', candidate: 'hi' },
    { title: 'a letter within a cluster', argv: ['-px', 'hi'], option: '-x', candidate: 'hi' },
    { title: 'three words, maybe several values', argv: ['--new', 'x', 'y', 'hi'], option: '--new', candidate: 'y' },
    { title: 'two such options', argv: ['--new', 'x', '--newer', 'y'], option: '--new', candidate: 'x' },
    { title: 'the name of a command', argv: ['--new', 'mcp'], option: '--new', candidate: 'mcp' },
    {
      title: 'an abbreviation, which claude does not know',
      argv: ['-p', '--mod', 'hi'],
      option: '--mod',
      candidate: 'hi',
    },
  ])('asks: $title', ({ argv, option, candidate }) => {
    expect(readClaudeArguments(argv)).toEqual({ kind: 'ambiguous', option, candidate });
  });

  it('does not ask if prompts come from stdin', () => {
    const invocation = headless(['-p', ...STREAMS, '--new', 'x', 'y']);
    expect(invocation).toMatchObject({ prompt: undefined, ignoredPrompt: undefined, passed: ['--new', 'x', 'y'] });
  });
});
