import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { callRow, type HookedSession, hookedSession, promptRow, resultRow, toolRow, turn } from '../support/hooks.ts';

/** From the log that all notes are made from. */
function commandsNoted(session: HookedSession, id: string): string[] {
  const lines = session.file(`sessions/${id}/memory.ndjson`).trim().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { kind: string; command?: { text: string } });
  return entries.flatMap(({ kind, command }) => (kind === 'tool' && command ? [command.text] : []));
}

describe('notes', () => {
  it('are kept at the end of each turn, each fact once', async () => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    await turn(session, 'First.', 'make one');
    await turn(session, 'Second.', 'make two');
    expect(commandsNoted(session, session.id)).toEqual(['make one', 'make two']);
    expect(session.file('scratch.md')).toContain('Task: First.');
  });

  it('of a call whose result is not in the log yet are kept when it is', async () => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    await session.hook('UserPromptSubmit', { prompt: 'Go.' });
    session.log(promptRow('Go.'), callRow(50_000, { id: 'toolu_1', command: 'make it' }));
    await session.hook('PreCompact', { trigger: 'auto', custom_instructions: null });
    expect(existsSync(join(session.project, `.context/sessions/${session.id}/commands.md`))).toBe(false);
    session.log(resultRow('toolu_1', 'made'));
    await session.hook('SessionStart', { source: 'compact' });
    expect(commandsNoted(session, session.id)).toEqual(['make it']);
  });

  it('are handed back after a compaction, with the running prompt, and what is still missing with the next one', async () => {
    using session = hookedSession({ memory: { ...DEFAULTS.memory, restoreTokens: 15 } });
    await session.hook('SessionStart', { source: 'startup' });
    await turn(session, 'First.', 'make one');
    await turn(session, 'Second.', 'make two');
    await session.hook('UserPromptSubmit', { prompt: 'Third.', prompt_id: 'p-3' });
    session.log(
      promptRow('Third.'),
      callRow(60_000, { id: 'toolu_3', command: 'make three' }),
      resultRow('toolu_3', ''),
    );
    const { output } = await session.hook('PreCompact', { trigger: 'auto', custom_instructions: null });
    expect(output).toEqual({
      systemMessage: expect.stringMatching(/^When you summarise, focus on First\. -- say that notes .*scratch\.md$/),
    });
    const back = await session.told('SessionStart', { source: 'compact' });
    expect(back).toContain('word for word:\n\nThird.');
    expect(back).toContain('`make three`');
    expect(back).not.toContain('`make one`');
    await session.hook('PostCompact', { trigger: 'auto', compact_summary: 'It ran make two and no more.' });
    const next = await session.told('UserPromptSubmit', { prompt: 'Fourth.' });
    expect(next).toContain('not in its summary');
    expect(next).toContain('`make one`');
    expect(next).not.toContain('`make three`');
    expect(await session.told('UserPromptSubmit', { prompt: 'Fifth.' })).not.toContain('`make one`');
    expect(session.journal()).toEqual(['focus', 'restore', 'recall', 'receipt', 'recall']);
  });

  it('go on when the conversation is cleared, and are named in the new one', async () => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    await turn(session, 'First.', 'make one');
    await session.hook('SessionEnd', { reason: 'clear' });
    const next = session.next();
    const told = await next.told('SessionStart', { source: 'clear' });
    expect(told).toContain(`Notes of this session are kept in .context/sessions/${session.id}/scratch.md`);
    expect(told).toContain('Task: First.');
    await turn(next, 'Second.', 'make two');
    expect(commandsNoted(session, session.id)).toEqual(['make one', 'make two']);
    await next.hook('SessionEnd', { reason: 'clear' });
    expect(await next.next().told('SessionStart', { source: 'clear' })).toContain('Task: First.');
  });

  it('are those of the same claude where several are at work and are cleared at once', async () => {
    using session = hookedSession();
    const other = session.beside();
    for (const one of [session, other]) await one.hook('SessionStart', { source: 'startup' });
    await turn(session, 'First.', 'make one');
    await turn(other, 'Other.', 'make other');
    for (const one of [session, other]) await one.hook('SessionEnd', { reason: 'clear' });
    expect(await session.next().told('SessionStart', { source: 'clear' })).toContain('Task: First.');
    expect(await other.next().told('SessionStart', { source: 'clear' })).toContain('Task: Other.');
    expect(await other.beside().told('SessionStart', { source: 'clear' })).toBe('');
  });

  it('are handed on when claude had no time for the hook at the end, and when it comes late', async () => {
    using session = hookedSession();
    // ctxb was set up in the middle of the session.
    await turn(session, 'First.', 'make one');
    const next = session.next();
    expect(await next.told('SessionStart', { source: 'clear' })).toContain('Task: First.');
    await session.hook('SessionEnd', { reason: 'clear' });
    expect(await next.next().told('SessionStart', { source: 'clear' })).toContain('Task: First.');
  });

  it('are those of the session that was gone back to', async () => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    await turn(session, 'First.', 'make one');
    const other = session.next();
    await other.hook('SessionStart', { source: 'startup' });
    await turn(other, 'Other.', 'make other');
    await other.hook('SessionEnd', { reason: 'resume' });
    await session.hook('SessionStart', { source: 'resume' });
    await session.hook('SessionEnd', { reason: 'clear' });
    expect(await session.next().told('SessionStart', { source: 'clear' })).toContain('Task: First.');
  });

  it('are named when the session is gone on with', async () => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    await turn(session, 'First.', 'make one');
    await session.hook('SessionEnd', { reason: 'prompt_input_exit' });
    expect(await session.told('SessionStart', { source: 'resume' })).toContain('Task: First.');
  });

  it('of a task that an earlier turn has made know its name', async () => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    session.log(promptRow('Plan.'), toolRow('t1', 'TaskCreate', { subject: 'port the parser' }));
    session.log(resultRow('t1', 'Task #1 created successfully: port the parser'), callRow(50_000));
    await session.hook('Stop');
    session.log(promptRow('Go.'), toolRow('t2', 'TaskUpdate', { taskId: '1', status: 'in_progress' }));
    session.log(resultRow('t2', 'Updated task #1 status'), callRow(51_000));
    await session.hook('Stop');
    const tasks = session.file(`sessions/${session.id}/memory.ndjson`).match(/"subject":"[^"]*","status":"\w+"/g);
    expect(tasks).toEqual([
      '"subject":"port the parser","status":"pending"',
      '"subject":"port the parser","status":"in_progress"',
    ]);
  });

  it('are none where memory is off', async () => {
    using session = hookedSession({ memory: { ...DEFAULTS.memory, enabled: false } });
    await session.hook('SessionStart', { source: 'startup' });
    await turn(session, 'First.', 'make one');
    expect(await session.told('SessionStart', { source: 'compact' })).toBe('');
    expect(existsSync(join(session.project, '.context/sessions'))).toBe(false);
  });
});
