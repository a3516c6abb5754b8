import { describe, expect, it } from 'vitest';
import {
  type HeadlessInvocation,
  readClaudeArguments,
  successorArguments,
  withNamedWorktree,
} from '../../src/claude/claude-arguments.ts';

const STREAMS = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

function headless(argv: readonly string[]): HeadlessInvocation {
  const invocation = readClaudeArguments(argv);
  if (invocation.kind !== 'headless') throw new Error(`expected a headless run, got ${JSON.stringify(invocation)}`);
  return invocation;
}

describe('readClaudeArguments leaves unchanged', () => {
  it.each([
    { title: '--help', argv: ['-p', 'hello', '-h'] },
    { title: '--version', argv: ['--version'] },
    { title: '-v behind an unknown option (verified with claude 2.1.197 and 2.1.330)', argv: ['-p', '--new', '-v'] },
    { title: '-v in a cluster (verified with claude 2.1.197 and 2.1.330)', argv: ['-p', '-pv'] },
    { title: 'a command', argv: ['mcp', 'list'] },
    { title: 'a command behind options', argv: ['--model', 'haiku', 'doctor'] },
    { title: 'a command behind -c (verified with claude 2.1.197 and 2.1.330)', argv: ['-c', 'mcp'] },
    { title: 'a command behind a cluster with p (verified with claude 2.1.197 and 2.1.330)', argv: ['-pc', 'mcp'] },
    { title: 'a command behind -- (verified with claude 2.1.197 and 2.1.330)', argv: ['--', 'mcp'] },
    { title: 'a command before -p, both behind -- (verified with claude 2.1.330)', argv: ['--', 'mcp', '-p'] },
    { title: 'a command alias', argv: ['upgrade'] },
    { title: 'a command of 2.1.330', argv: ['worktree-hook'] },
    {
      title: 'a word that is a command in first place (verified with claude 2.1.197 and 2.1.330)',
      argv: ['stop', '-p'],
    },
    { title: 'an inner entry point', argv: ['--claude-in-chrome-mcp'] },
    { title: '--bg', argv: ['--bg', 'hello'] },
    { title: '--background', argv: ['-p', 'hello', '--background'] },
    { title: '--tmux', argv: ['-w', '--tmux'] },
    { title: '--tmux=classic', argv: ['-w', '--tmux=classic'] },
    { title: '--remote-control without -p', argv: ['--remote-control', 'name'] },
    { title: '--init-only', argv: ['--init-only'] },
    { title: '--cloud', argv: ['--remote', 'a task'] },
    { title: '--sdk-url', argv: ['-p', '--sdk-url', 'wss://example.test', ...STREAMS] },
    { title: '--rewind-files', argv: ['-p', '-r', 'ID', '--rewind-files', 'ID'] },
  ])('an interactive run: $title', ({ argv }) => {
    expect(readClaudeArguments(argv).kind).toBe('untouched');
  });

  it.each([
    {
      title: 'an output format',
      argv: ['--output-format=nope', 'hi'],
      reason: '--output-format must be one of text, json, stream-json',
    },
    {
      title: 'a wrong output format before a right one',
      argv: ['--output-format', 'nope', '--output-format', 'text'],
      reason: '--output-format must be one of text, json, stream-json',
    },
    {
      title: 'an input format',
      argv: ['--input-format', 'json', 'hi'],
      reason: '--input-format must be one of text, stream-json',
    },
    { title: 'a missing value', argv: ['-p', 'hi', '--model'], reason: '--model needs a value' },
    { title: 'a missing first value of many', argv: ['-p', 'hi', '--tools'], reason: '--tools needs a value' },
    {
      title: 'stream-json without --verbose',
      argv: ['--output-format', 'stream-json', 'hi'],
      reason: '--output-format stream-json needs --verbose',
    },
    {
      title: 'stream-json in, text out',
      argv: ['--input-format', 'stream-json'],
      reason: '--input-format stream-json needs --output-format stream-json',
    },
    {
      title: 'replayed text prompts',
      argv: ['--output-format=stream-json', '--verbose', '--replay-user-messages', 'hi'],
      reason: '--replay-user-messages needs --input-format stream-json',
    },
    {
      title: 'replayed prompts in text',
      argv: ['--replay-user-messages', 'hi'],
      reason: '--replay-user-messages needs --output-format stream-json',
    },
    {
      title: 'partial messages in json',
      argv: ['--output-format', 'json', '--include-partial-messages', 'hi'],
      reason: '--include-partial-messages needs --output-format stream-json',
    },
    {
      title: 'prompt suggestions in text',
      argv: ['hi', '--prompt-suggestions'],
      reason: '--prompt-suggestions needs --output-format stream-json',
    },
  ])('arguments that claude refuses: $title', ({ argv, reason }) => {
    expect(readClaudeArguments(argv)).toEqual({ kind: 'untouched', reason });
  });
});

describe('a worktree without a name gets one', () => {
  it.each([
    { argv: ['-p', 'hi', '--worktree'], passed: ['--worktree', 'mine'] },
    { argv: ['-p', '-w', '--model', 'x'], passed: ['-w', 'mine', '--model', 'x'] },
    { argv: ['-p', '-w', 'theirs', '--model', 'x'], passed: ['-w', 'theirs', '--model', 'x'] },
    { argv: ['-p', 'hi', '--worktree=theirs'], passed: ['--worktree=theirs'] },
    { argv: ['-p', 'hi'], passed: [] },
    { argv: ['-p', '--append-system-prompt', '-w'], passed: ['--append-system-prompt', '-w'] },
    { argv: ['-p', '--allowed-tools', '-w', 'Read', '-w'], passed: ['--allowed-tools', '-w', 'Read', '-w', 'mine'] },
  ])('$argv', ({ argv, passed }) => {
    expect(withNamedWorktree(headless(argv), 'mine')).toMatchObject({ passed, passedAgain: passed });
  });
});

it('a process that replaces the first one gets no option that chooses the session or runs its setup', () => {
  const truncated = ['--resume-session-at', 'answer', '--resume-drops-turn', 'prompt'];
  const setup = ['--init', '--maintenance'];
  const argv = ['-p', '--resume', 'id', '--fork-session', ...truncated, ...setup, '--model', 'x'];
  expect(successorArguments(headless(argv), 'next')).toEqual(
    successorArguments(headless(['-p', '--model', 'x']), 'next'),
  );
});

describe('readClaudeArguments reads the formats and switches', () => {
  it('uses claude’s defaults', () => {
    expect(headless(['-p', 'hi'])).toEqual({
      kind: 'headless',
      written: ['-p', 'hi'],
      isPrint: true,
      hidesThoughts: true,
      prompt: 'hi',
      ignoredPrompt: undefined,
      ignoredWords: [],
      passed: [],
      passedAgain: [],
      namesSession: false,
      inputFormat: 'text',
      outputFormat: 'text',
      verbose: false,
      model: undefined,
      resumes: false,
      resumed: undefined,
      sessionPersistence: true,
      bare: false,
      jsonSchema: false,
      maxBudgetUsd: undefined,
      settings: undefined,
    });
  });

  it('drops the prompt that claude ignores when prompts come as stream-json (verified with claude 2.1.197)', () => {
    const invocation = headless(['-p', ...STREAMS, 'hi', 'there']);
    expect(invocation).toMatchObject({ prompt: undefined, ignoredPrompt: 'hi', ignoredWords: ['there'], passed: [] });
  });

  it.each([
    { title: '--output-format json', argv: ['--output-format', 'json'], read: { outputFormat: 'json' } },
    { title: '--output-format=json', argv: ['--output-format=json'], read: { outputFormat: 'json' } },
    {
      title: 'the last format',
      argv: ['--output-format', 'text', '--output-format', 'json'],
      read: { outputFormat: 'json' },
    },
    {
      title: 'an array of lines',
      argv: ['--verbose', '--output-format=json'],
      read: { outputFormat: 'json', verbose: true },
    },
    {
      title: 'both streams',
      argv: STREAMS,
      read: { inputFormat: 'stream-json', outputFormat: 'stream-json', verbose: true },
    },
  ])('and removes them: $title', ({ argv, read }) => {
    expect(headless(argv)).toMatchObject({ ...read, passed: [] });
  });

  it.each([
    {
      title: '--replay-user-messages',
      argv: [...STREAMS, '--replay-user-messages'],
      read: { passed: ['--replay-user-messages'] },
    },
    {
      title: '--include-partial-messages',
      argv: [...STREAMS, '--include-partial-messages'],
      read: { passed: ['--include-partial-messages'] },
    },
    { title: '--model', argv: ['--model', 'haiku'], read: { model: 'haiku' } },
    { title: 'the last --model', argv: ['--model=opus', '--model', 'haiku[1m]'], read: { model: 'haiku[1m]' } },
    { title: '--settings', argv: ['--settings={"a":1}'], read: { settings: '{"a":1}' } },
    { title: '-c', argv: ['-c'], read: { resumes: true } },
    { title: '--resume', argv: ['--resume', 'ID'], read: { resumes: true } },
    { title: '-r without a value', argv: ['-r'], read: { resumes: true } },
    { title: '--from-pr', argv: ['--from-pr=12'], read: { resumes: true } },
    { title: '--session-id, which names a new session', argv: ['--session-id', 'ID'], read: { resumes: false } },
    { title: '--no-session-persistence', argv: ['--no-session-persistence'], read: { sessionPersistence: false } },
    {
      title: '--disable-slash-commands',
      argv: ['--disable-slash-commands'],
      read: { passed: ['--disable-slash-commands'] },
    },
    { title: '--bare', argv: ['--bare'], read: { bare: true } },
    { title: 'json, which has no thoughts', argv: ['--output-format', 'json'], read: { hidesThoughts: true } },
    {
      title: 'json with --verbose, which has',
      argv: ['--output-format', 'json', '--verbose'],
      read: { hidesThoughts: false },
    },
    { title: 'stream-json, which has', argv: STREAMS, read: { hidesThoughts: false } },
    {
      title: 'a display of thoughts',
      argv: ['--thinking-display', 'summarized'],
      read: { hidesThoughts: false },
    },
    { title: 'no -p', argv: ['hi'], read: { isPrint: false } },
    { title: 'nothing behind --', argv: ['--', '--bare'], read: { bare: false, prompt: '--bare' } },
  ])('and passes them on: $title', ({ argv, read }) => {
    expect(headless(argv)).toMatchObject(read);
  });
});
