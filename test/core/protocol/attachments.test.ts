import { describe, expect, it } from 'vitest';
import { decodeObject } from '../../../src/core/protocol/decode.ts';

const decode = (attachment: object) =>
  decodeObject({ type: 'attachment', uuid: 'u1', sessionId: 's1', isSidechain: false, attachment });

describe('attachments of a session log', () => {
  it.each([
    {
      name: 'a file that was changed',
      attachment: { type: 'edited_text_file', filename: '/a.go', snippet: '1\tpackage a' },
      text: '1\tpackage a',
    },
    {
      name: 'a reminder of tasks',
      attachment: {
        type: 'task_reminder',
        content: [{ id: '1', subject: 'Look', status: 'pending', description: 'All.' }],
        itemCount: 1,
      },
      text: '#1. [pending] Look',
    },
    {
      name: 'tools that came',
      attachment: { type: 'deferred_tools_delta', addedNames: ['A', 'B'], addedLines: ['A', 'B'], removedNames: [] },
      text: 'A\nB',
    },
    {
      name: 'instructions of a server that came',
      attachment: { type: 'mcp_instructions_delta', addedNames: ['x'], addedBlocks: ['## x\nUse it.'] },
      text: '## x\nUse it.',
    },
    {
      name: 'what a hook adds',
      attachment: { type: 'hook_additional_context', content: ['You have notes.'], hookName: 'SessionStart' },
      text: 'You have notes.',
    },
    {
      name: 'a notice of a task that ran on',
      attachment: { type: 'queued_command', prompt: '<task-notification>done', commandMode: 'task-notification' },
      text: '<task-notification>done',
    },
  ])('$name becomes a notice', ({ attachment, text }) => {
    expect(decode(attachment)).toMatchObject({
      kind: 'user',
      role: 'notice',
      blocks: [
        { type: 'other', name: `attachment/${attachment.type}` },
        { type: 'text', text },
      ],
    });
  });

  it('words during a turn are a prompt', () => {
    const attachment = { type: 'queued_command', prompt: 'And the tests?', commandMode: 'prompt' };
    expect(decode(attachment)).toMatchObject({ kind: 'user', role: 'prompt' });
  });

  it.each([
    { name: 'a message that only the person sees', attachment: { type: 'hook_system_message', content: 'Linked.' } },
    { name: 'a hook that said nothing', attachment: { type: 'hook_success', content: '', stdout: '{}' } },
    {
      name: 'a list of tools that went',
      attachment: { type: 'deferred_tools_delta', addedLines: [], removedNames: ['A'] },
    },
    { name: 'nothing', attachment: {} },
  ])('$name does not affect the context', ({ attachment }) => {
    expect(decode(attachment)).toMatchObject({ kind: 'known', name: 'attachment' });
  });
});
