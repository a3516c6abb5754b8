import type { Block, ToolResult, ToolUse } from './block.ts';
import type { UserRole } from './events.ts';
import { type Fields, fieldsOf, groupsIn, isFields, jsonText, listOf, stringOf, textOf } from './fields.ts';
import { pictureSize } from './picture.ts';

/** Whether claude accepts the content as a user message. */
export function isContent(content: unknown): boolean {
  if (!Array.isArray(content)) return content === undefined || content === null || typeof content === 'string';
  return content.every((block) => isFields(block) && (block.type !== 'text' || typeof block.text === 'string'));
}

/** Content of a message: a string or a list of blocks. Any other value counts as empty. */
export function readBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map(readBlock) : [];
}

export function textsOf(blocks: readonly Block[]): readonly string[] {
  return blocks.filter((block) => block.type === 'text').map(({ text }) => text);
}

/** The number of pictures and documents. */
export function picturesIn(blocks: readonly Block[]): number {
  return blocks.filter(({ type }) => type === 'image' || type === 'document').length;
}

export function plainText(blocks: readonly Block[]): string {
  return textsOf(blocks).join('\n');
}

export function usesIn(blocks: readonly Block[]): readonly ToolUse[] {
  return blocks.filter((block) => block.type === 'tool_use');
}

export function resultsIn(blocks: readonly Block[]): readonly ToolResult[] {
  return blocks.filter((block) => block.type === 'tool_result');
}

export function answeredIn(blocks: readonly Block[]): readonly string[] {
  return resultsIn(blocks).map(({ toolUseId }) => toolUseId);
}

function readBlock(value: unknown): Block {
  const block = fieldsOf(value);
  const { type } = block;
  if (type === 'text') return { type, text: stringOf(block.text) };
  if (type === 'thinking') return readThought(block.thinking, block.signature);
  if (type === 'redacted_thinking') return readThought('', block.data);
  if (type === 'tool_result') return readToolResult(block);
  if (type === 'image') {
    const size = pictureSize(block);
    return { type, ...(size && { size }) };
  }
  if (type === 'document') return { type };
  if (type !== 'tool_use' && type !== 'server_tool_use') return { type: 'other', name: stringOf(type) };
  return { type: 'tool_use', id: stringOf(block.id), name: stringOf(block.name), input: block.input };
}

function readThought(text: unknown, signature: unknown): Block {
  return { type: 'thinking', text: stringOf(text), signatureLength: textOf(signature)?.length ?? 0 };
}

/**
 * Reads the parts of a tool's result. A nested tool result becomes `other`: no stream contains one, and reading it
 * would recurse without limit.
 */
function readParts(content: unknown): Block[] {
  if (!Array.isArray(content)) return readBlocks(content);
  return content.map((part) =>
    fieldsOf(part).type === 'tool_result' ? { type: 'other', name: 'tool_result' } : readBlock(part),
  );
}

function readToolResult(block: Fields): Block {
  const parts = readParts(block.content);
  const texts = textsOf(parts);
  const sizes = parts.flatMap((part) => (part.type === 'image' ? (part.size ?? []) : []));
  return {
    type: 'tool_result',
    toolUseId: stringOf(block.tool_use_id),
    isError: block.is_error === true,
    text: texts.join('\n'),
    ...(texts.length > 1 ? { texts } : {}),
    images: picturesIn(parts),
    ...(sizes.length > 0 ? { sizes } : {}),
    definitions: definitionsIn(block.content),
  };
}

/** Names of the tools whose definitions a result adds to the context. */
function definitionsIn(content: unknown): string[] {
  const parts = listOf(content).map(fieldsOf);
  return parts.filter(({ type }) => type === 'tool_reference').map((part) => stringOf(part.tool_name));
}

/** Fields of an attachment with text for the model, in versions that write them. */
const ATTACHMENT_TEXT_KEYS = ['snippet', 'content', 'files', 'addedLines', 'addedBlocks', 'prompt'];

/** Attachments that only the person sees, or that report a command without its outcome. */
const UNSEEN_ATTACHMENTS: readonly string[] = [
  'hook_system_message',
  'hook_cancelled',
  'hook_non_blocking_error',
  'command_permissions',
];

/** Attachments without logged text: the model always gets the same text. */
const UNLOGGED_ATTACHMENTS: readonly string[] = [
  'task_reminder',
  'date_change',
  'plan_mode',
  'plan_mode_exit',
  'opened_file_in_ide',
];

/**
 * The blocks that an attachment adds to the context. The block with its name stands for Claude Code's words around it.
 */
export function attachedContent(attachment: Fields): readonly Fields[] {
  const { type, content } = attachment;
  if (typeof type !== 'string' || UNSEEN_ATTACHMENTS.includes(type)) return [];
  const text =
    type === 'task_reminder' ? listedTasks(content) : ATTACHMENT_TEXT_KEYS.flatMap((name) => textsIn(attachment[name]));
  const named = { type: `attachment/${type}` };
  if (text.length === 0) return UNLOGGED_ATTACHMENTS.includes(type) ? [named] : [];
  return [named, { type: 'text', text: text.join('\n') }];
}

function listedTasks(content: unknown): readonly string[] {
  const tasks = listOf(content).map(fieldsOf);
  return tasks.map(({ id, status, subject }) => `#${id}. [${status}] ${subject}`);
}

function textsIn(value: unknown): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  const items: readonly unknown[] = [value].flat();
  return items.map((item) => textOf(item) ?? jsonText(item));
}

const SUMMARY_OPENING = 'This session is being continued from a previous conversation';

/** Elements that Claude Code writes in the user's place, at the start of a text. */
const NOTICE_ELEMENTS =
  /^\s*(?:<(local-command-\w+|command-(?:name|message|args)|bash-(?:input|stdout|stderr)|system-reminder|task-notification|(?:teammate|agent|channel|cross-session|slack-tag)-message|mcp-(?:resource|polling)-update|channel|slack-ping|coordinator-relay|remote-review|fork-boilerplate|tick|ide_\w+)(?:\s[^>]*)?>[\s\S]*?<\/\1>\s*)+/;

/** Sentences that Claude Code writes in the user's place. */
const NOTICE_SENTENCE =
  /^(?:|\[Request interrupted by user(?: for tool use)?\]|Operation stopped by hook\b[\s\S]*|Caveat: The messages below were generated by the user while running local commands\b.*)$/;

/** Origins that are a person, or a program in a person's place. */
const USER_ORIGINS: readonly unknown[] = ['human', 'person', 'composer', 'bridge', 'sdk', 'voice-call'];

/**
 * The role of a line by Claude Code's own marks: 2.1.197 and later name the source of each prompt, the newest also an
 * origin.
 */
export function markedRole({
  isCompactSummary,
  isVisibleInTranscriptOnly,
  isMeta,
  isSynthetic,
  isReplay,
  ...line
}: Fields) {
  if (isCompactSummary === true) return 'summary';
  if (isMeta === true || isSynthetic === true || isReplay === true || isVisibleInTranscriptOnly === true)
    return 'notice';
  const { kind } = fieldsOf(line.origin);
  if (kind !== undefined) return USER_ORIGINS.includes(kind) ? 'prompt' : 'notice';
  if (line.promptSource === undefined) return undefined;
  return line.promptSource === 'system' ? 'notice' : 'prompt';
}

/** The speaker of a `user` line. Most such lines do not come from a person; without a mark the text decides. */
export function userRole(line: Fields, blocks: readonly Block[], subagent: string | null): UserRole {
  if (blocks.some((block) => block.type === 'tool_result')) return 'tool-result';
  const marked = markedRole(line);
  const [first] = blocks;
  if (marked !== 'prompt' && first?.type === 'text' && isSummary(first.text)) return 'summary';
  if (subagent !== null) return marked === 'summary' ? marked : 'notice';
  if (marked !== undefined) return marked;
  return blocks.some((block) => block.type !== 'text' || !isNotice(block.text)) ? 'prompt' : 'notice';
}

/** Whether Claude Code wrote the whole text. A row that begins with a message is a command from a file or skill. */
export function isNotice(text: string): boolean {
  return (
    NOTICE_SENTENCE.test(text.replace(NOTICE_ELEMENTS, '').trim()) &&
    !/^<command-message>[\s\S]+<command-name>/.test(text)
  );
}

/** A prompt without Claude Code's text before it, and a command as it was typed; unchanged if nothing remains. */
export function wordsOf(blocks: readonly Block[]): readonly string[] {
  const texts = textsOf(blocks);
  const said = texts.filter((text) => text.trim() === '' || !isNotice(text));
  const words = said.map((text) => text.replace(NOTICE_ELEMENTS, '') || (commandOf(text) ?? text));
  return words.length === 0 ? texts : words;
}

const COMMAND =
  /^(?:<command-message>[\s\S]*?)?<command-name>([^<]*)<\/command-name>(?:[\s\S]*?<command-args>([\s\S]*?)<\/command-args>)?/;

/** A slash command as it was typed, from claude's row for the model. Rows of built-in ones begin with the name. */
export function commandOf(text: string): string | undefined {
  const [name, args = ''] = groupsIn(COMMAND, text);
  return name === undefined ? undefined : `/${name.replace(/^\//, '')} ${args}`.trim();
}

/** Whether the text is claude's report, in place of a prompt, that a background task has ended. */
export function isTaskReport(text: unknown): text is string {
  return typeof text === 'string' && text.startsWith('<task-notification>');
}

/** Whether a result only points to an earlier read of the unchanged file. */
export function isUnchangedRead(text: string): boolean {
  return text.startsWith('File unchanged since last read');
}

export function isSummary(text: string): boolean {
  return text.startsWith(SUMMARY_OPENING);
}
