import { describe, expect, it } from 'vitest';
import { createMessage, type Message } from '../../src/core/exact/message.ts';
import { createModelView } from '../../src/replay/model-view.ts';
import { wordsIn } from '../../src/replay/words-used.ts';

const use = (name: string, input: object) => ({ type: 'tool_use', id: 'toolu_1', name, input }) as const;

describe('the words of a call', () => {
  it.each([
    { name: 'paths and figures of its text', block: { type: 'text', text: 'src/queue.ts has 4711, not 12.' } as const },
    { name: 'those of its parameters', block: use('Bash', { command: 'grep 4711 src/queue.ts' }) },
  ])('are $name', ({ block }) => {
    expect([...wordsIn(block)].sort()).toEqual(['4711', 'src/queue.ts']);
  });

  it('are the lines that an edit replaces, not what the model writes', () => {
    const edit = { file_path: 'a', old_string: 'export const limit = 1;\n}', new_string: 'src/queue.ts 4711' };
    expect(wordsIn(use('Edit', edit))).toEqual(['export const limit = 1;']);
  });
});

function round(id: string, input: object, text: string): Message[] {
  return [
    createMessage('assistant', '', { toolUses: [{ tool_use_id: id, tool: 'Bash', input }] }),
    createMessage('user', '', { toolResults: [{ tool_use_id: id, text }] }),
  ];
}

describe('the view of the model', () => {
  const begun = (...rounds: readonly Message[][]) => {
    const sight = createModelView();
    rounds.flat().forEach(sight.say);
    return sight;
  };
  const first = round('one', { command: 'ls' }, 'src/queue.ts');
  const second = round('two', { command: 'ls' }, 'src/queue.ts and src/list.ts');

  it('misses only words of results that a compaction removed, and gives the last result', () => {
    const sight = begun(first, second);
    expect(sight.missing('src/queue.ts')).toBeUndefined();
    sight.replace([], []);
    expect(sight.missing('src/queue.ts')?.use.tool_use_id).toBe('two');
    expect(sight.missing('src/other.ts')).toBeUndefined();
  });

  it('sees contents that stay whole, and repeated texts', () => {
    const sight = begun(first, second);
    sight.replace(first, ['one']);
    expect(sight.missing('src/queue.ts')).toBeUndefined();
    expect(sight.missing('src/list.ts')?.use.tool_use_id).toBe('two');
    sight.say(createMessage('user', 'Look at src/list.ts.'));
    expect(sight.missing('src/list.ts')).toBeUndefined();
  });

  it('fetches the contents that the model wrote, and nothing in a new context', () => {
    const sight = begun(round('one', { file_path: 'a', content: 'port 4711' }, 'done'));
    sight.replace([], []);
    expect(sight.missing('4711')?.text).toBe('done\nport 4711');
    sight.renew();
    expect(sight.missing('4711')).toBeUndefined();
  });
});
