import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entriesIn, type Told, told } from '../../../support/notes.ts';
import { fixture } from '../../../support/recordings.ts';

function notesFixture(name: string): string {
  return fixture(`../notes/${name}`);
}

describe('the entries of a recording are what a person reading it would tell', () => {
  it.each([
    { file: 'files.session.jsonl', about: 'files written and not written' },
    { file: 'files.ndjson', about: 'files written and not written' },
    { file: 'commands.session.jsonl', about: 'commands and how they ended' },
    { file: 'commands.ndjson', about: 'commands and how they ended' },
    { file: 'prompts.session.jsonl', about: 'prompts, and what only looks like one' },
    { file: 'prompts.dialogue.ndjson', about: 'prompts, and what only looks like one' },
    { file: 'agents.session.jsonl', about: 'work of subagents' },
    { file: 'agents.ndjson', about: 'work of subagents' },
    { file: 'states.session.jsonl', about: 'changes of state and tasks' },
    { file: 'states.ndjson', about: 'changes of state and tasks' },
  ])('$about: $file', ({ file }) => {
    const expected = notesFixture(file.replace(/\.(ndjson|jsonl)$/, '.expected.json'));
    expect(entriesIn(notesFixture(file)).map(told)).toStrictEqual(
      JSON.parse(readFileSync(expected, 'utf8')) as readonly Told[],
    );
  });
});
