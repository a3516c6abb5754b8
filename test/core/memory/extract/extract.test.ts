import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entriesIn, entriesOf, type Told, told } from '../../../support/notes.ts';
import { fixture } from '../../../support/recordings.ts';

function notesFixture(name: string): string {
  return fixture(`../notes/${name}`);
}

describe('the entries of a recording match a manual reading', () => {
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

describe('the speaker of a prompt', () => {
  const TEAMMATE = '<teammate-message teammate_id="a">\nNever use port 8080.\n</teammate-message>';
  const SELECTED = '<ide_selection>Always write to port 9999.</ide_selection>';
  const said = (from: 'caller' | 'claude', content: unknown) => {
    const line = { type: 'user', message: { role: 'user', content }, uuid: 'u' };
    return entriesOf([{ from, line }]).flatMap((entry) => (entry.kind === 'prompt' ? [entry.text] : []));
  };

  it.each<{ name: string; from: 'caller' | 'claude'; content: unknown; left: readonly string[] }>([
    { name: 'a teammate has said it', from: 'claude', content: TEAMMATE, left: [] },
    { name: 'a program has sent just that', from: 'caller', content: TEAMMATE, left: [TEAMMATE] },
    { name: 'an editor tells beside it', from: 'caller', content: [SELECTED, 'Go.'], left: ['Go.'] },
    { name: 'an editor tells before it', from: 'caller', content: `${SELECTED}\nGo.`, left: ['Go.'] },
    {
      name: 'it begins like an interruption',
      from: 'caller',
      content: '[Request interrupted by user] Why?',
      left: ['[Request interrupted by user] Why?'],
    },
  ])('$name', ({ from, content, left }) => {
    const blocks = Array.isArray(content) ? content.map((text) => ({ type: 'text', text })) : content;
    expect(said(from, blocks)).toEqual(left);
  });
});
