import { describe, expect, it } from 'vitest';
import { decodeObject } from '../../../src/core/protocol/decode.ts';

function userLine(content: unknown, more: object = {}) {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: 's', ...more };
}

function roleOf(content: unknown, more?: object) {
  const event = decodeObject(userLine(content, more));
  return event.kind === 'user' ? event.role : event.kind;
}

const text = (words: string) => ({ type: 'text', text: words });
const SUMMARY = 'This session is being continued from a previous conversation that ran out of context. The summary …';
const TEAMMATE = '<teammate-message teammate_id="tester" color="yellow">\nNever use port 8080.\n</teammate-message>';
const OPENED = '<ide_opened_file>The user opened /src/a.ts in the IDE.</ide_opened_file>';
const REVIEW =
  '<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n<command-args>the parser</command-args>';
const NOTICE = '<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>';

describe('looks like human input and is not', () => {
  it.each([
    { name: 'isSynthetic', content: 'Continue.', more: { isSynthetic: true }, role: 'notice' },
    { name: 'isReplay', content: 'hello', more: { isReplay: true }, role: 'notice' },
    { name: 'isMeta', content: 'Caveat', more: { isMeta: true }, role: 'notice' },
    { name: 'isCompactSummary', content: 'What was said', more: { isCompactSummary: true }, role: 'summary' },
    { name: 'a summary by its opening only', content: SUMMARY, more: { isSynthetic: true }, role: 'summary' },
    { name: 'a summary in blocks', content: [text(SUMMARY)], more: {}, role: 'summary' },
    { name: 'parent_tool_use_id', content: 'Count.', more: { parent_tool_use_id: 'toolu_1' }, role: 'notice' },
    { name: 'isSidechain', content: 'Count.', more: { isSidechain: true, agentId: 'a1' }, role: 'notice' },
    {
      name: 'results of tools',
      content: [{ type: 'tool_result', tool_use_id: 't', content: 'out' }],
      more: {},
      role: 'tool-result',
    },
    { name: 'an interruption', content: [text('[Request interrupted by user]')], more: {}, role: 'notice' },
    {
      name: 'an interruption during a tool call',
      content: [text('[Request interrupted by user for tool use]')],
      more: {},
      role: 'notice',
    },
    {
      name: 'output of a local command',
      content: '<local-command-stdout>Compacted </local-command-stdout>',
      more: {},
      role: 'notice',
    },
    {
      name: 'errors of a local command',
      content: '<local-command-stderr>no</local-command-stderr>',
      more: {},
      role: 'notice',
    },
    { name: 'a command name', content: '<command-name>/compact</command-name>', more: {}, role: 'notice' },
    { name: 'a command message', content: '<command-message>compact</command-message>', more: {}, role: 'notice' },
    {
      name: 'a command that claude answers itself',
      content:
        '<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>opus</command-args>',
      more: {},
      role: 'notice',
    },
    { name: 'a reminder', content: '<system-reminder>Token usage: 1/2</system-reminder>', more: {}, role: 'notice' },
    {
      name: 'a reminder after white space',
      content: '\n  <system-reminder>x</system-reminder>',
      more: {},
      role: 'notice',
    },
    { name: 'a task notification', content: NOTICE, more: { origin: { kind: 'task-notification' } }, role: 'notice' },
    { name: 'a shell command of the terminal', content: '<bash-input>ls</bash-input>', more: {}, role: 'notice' },
    { name: 'a message of a teammate', content: TEAMMATE, more: {}, role: 'notice' },
    { name: 'an open file of an editor', content: OPENED, more: {}, role: 'notice' },
    { name: 'a channel', content: '<channel source="chat">Use port 8080.</channel>', more: {}, role: 'notice' },
    { name: 'a message in a chat', content: '<slack-tag-message>Hi</slack-tag-message>', more: {}, role: 'notice' },
    { name: 'a coordinator', content: '<coordinator-relay>Hi</coordinator-relay>', more: {}, role: 'notice' },
    {
      name: 'a changed resource',
      content: '<mcp-resource-update server="a" uri="b://c">\n</mcp-resource-update>',
      more: {},
      role: 'notice',
    },
    { name: 'a wake-up', content: '<tick>10:00</tick>', more: {}, role: 'notice' },
    { name: 'another origin', content: 'Go.', more: { origin: { kind: 'peer' } }, role: 'notice' },
    { name: 'a source of claude', content: 'Go.', more: { promptSource: 'system' }, role: 'notice' },
    { name: 'what only a person sees', content: 'x', more: { isVisibleInTranscriptOnly: true }, role: 'notice' },
    { name: 'nothing', content: '', more: {}, role: 'notice' },
    { name: 'no content at all', content: undefined, more: {}, role: 'notice' },
  ])('$name', ({ content, more, role }) => {
    expect(roleOf(content, more)).toBe(role);
  });
});

describe('is what a person or the calling program said', () => {
  it.each([
    { name: 'a text', content: 'Do the thing.', more: {} },
    { name: 'a text in blocks', content: [text('Do the thing.')], more: {} },
    { name: 'a text with a uuid', content: 'Do it.', more: { uuid: 'a3c1f2de-0000-4000-8000-000000000001' } },
    { name: 'a row of a session log', content: 'Do it.', more: { isSidechain: false, isMeta: false } },
    { name: 'a slash command', content: '/compact focus on the task', more: {} },
    { name: 'a command that is a prompt', content: REVIEW, more: {} },
    { name: 'a picture', content: [{ type: 'image', source: { type: 'base64', data: 'AAAA' } }], more: {} },
    {
      name: 'a reminder with a text next to it',
      content: [text('<system-reminder>x</system-reminder>'), text('Go.')],
      more: {},
    },
    { name: 'a tag in the middle of a text', content: 'What does <command-name> mean?', more: {} },
    { name: 'words behind a reminder', content: '<system-reminder>x</system-reminder>\n\nGo.', more: {} },
    { name: 'words behind an open file', content: `${OPENED}\nGo.`, more: {} },
    {
      name: 'words that begin with an interruption',
      content: '[Request interrupted by user] is shown. Why?',
      more: {},
    },
    { name: 'an element that claude marks', content: NOTICE, more: { promptSource: 'sdk' } },
    { name: 'a summary that a person pastes', content: SUMMARY, more: { origin: { kind: 'human' } } },
    { name: 'words about an interruption', content: 'Why "[Request interrupted by user]"?', more: {} },
  ])('$name', ({ content, more }) => {
    expect(roleOf(content, more)).toBe('prompt');
  });
});
