import { describe, expect, it } from 'vitest';
import { initialState } from '../../../../src/core/governor/initial-state.ts';
import { step } from '../../../../src/core/governor/step.ts';
import { createMemory } from '../../../../src/core/memory/memory.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { initLine, type Line, policyWith, runWith, userLine } from '../../../support/governor.ts';
import { unmasked } from '../../../support/unmasked.ts';

/** A run in which a prompt is being worked on and one command has failed. */
function midTurn() {
  const run = runWith({ policy: policyWith({ task: 'mend the SECRET clock' }) });
  const memory = createMemory({ run, mask: (text) => unmasked(text).replaceAll('SECRET', '[masked]') });
  let state = initialState(run);
  const feed = (input: Parameters<typeof step>[1]) => {
    state = step(state, input);
    memory.add(input, state);
  };
  const claude = (line: Line) => feed({ t: 2, from: 'claude', event: decodeObject(line) });
  feed({ t: 1, from: 'ctxb', event: { kind: 'begin' } });
  feed({ t: 1, from: 'ctxb', event: { kind: 'notes', path: '.context/sessions/s1' } });
  const prompt = userLine('use the SECRET and test', { uuid: 'p1' });
  feed({ t: 1, from: 'caller', event: decodeObject(prompt), line: JSON.stringify(prompt) });
  claude(initLine());
  const use = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'cd app && npm test' } };
  const message = { id: 'm1', role: 'assistant', model: 'claude-sonnet-4-5', content: [use] };
  claude({ type: 'assistant', message, parent_tool_use_id: null, session_id: 's1' });
  const result = { type: 'tool_result', tool_use_id: 't1', content: 'Exit code 1\n2 failed', is_error: true };
  claude(userLine([result], { session_id: 's1' }));
  return { memory, state };
}

describe('a handoff from memory', () => {
  const { memory, state } = midTurn();

  it('names the task and the running prompt, without secrets', () => {
    const text = memory.handoff(state, 0);
    expect(text).toContain('# Handoff of session s1\n');
    expect(text).toContain('The task, as the user named it:\n```text\nmend the [masked] clock\n```');
    expect(text).toContain('Work in progress, word for word:\n```text\nuse the [masked] and test\n```');
    expect(text).toContain('All notes: .context/sessions/s1/scratch.md');
    expect(text).not.toContain('SECRET');
  });

  it('reports the outcome of commands', () => {
    expect(memory.outcomeOf('npm test')).toBe('failed');
    expect(memory.outcomeOf('npm run lint')).toBe('unknown');
  });
});
