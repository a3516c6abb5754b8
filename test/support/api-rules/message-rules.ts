import { ofBlocks, ofMessages, ofRequest, type Rule, rule } from './rule.ts';
import { fieldsOf, isThought, type Placed, partsOf } from './sent.ts';

const API = 'api/messages';
const SYSTEM = 'build-with-claude/mid-conversation-system-messages';

const TYPES = new Set([
  ...['text', 'image', 'document', 'search_result', 'tool_use', 'tool_result', 'server_tool_use', 'thinking'],
  ...['redacted_thinking', 'container_upload', 'compaction', 'connector_text', 'tool_addition', 'tool_removal'],
]);

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Models that take no answer begun in their place. */
const NO_PREFILL = /opus-4-[678]|sonnet-4-6|-5\b/;
/** Models that take messages of the system's between others. */
const HEAR_SYSTEM = /opus-4-8|opus-5|sonnet-5|haiku-5|fable|mythos/;

/** Roles, texts and pictures. */
export const MESSAGE_RULES: readonly Rule[] = [
  ofRequest(['first-message', API, "the first message is the user's"], ({ messages }) => messages[0]?.role !== 'user'),
  ofMessages(['role', API, 'a role is user, assistant or system'], ({ role }) => !ROLES.has(role)),
  ofMessages(
    ['content', API, 'only the last message, of the assistant, may be empty'],
    (message, index, { messages }) => {
      const isLast = index === messages.length - 1 && message.role === 'assistant';
      return message.blocks.length === 0 && !isLast;
    },
  ),
  ofBlocks(['type', API, 'the type of a block is known'], [], ({ block: { type } }) => {
    return !TYPES.has(type) && !type.endsWith('_tool_result');
  }),
  ofBlocks(['text', 'errors', 'a text is not blank'], ['text', 'tool_result'], (placed) =>
    placed.block.type === 'text' ? isBlank(placed) : partsOf(placed).some((part) => isEmptyText(part)),
  ),
  rule(['system-text', 'errors', 'a text of the system prompt is not empty'], ({ system }) =>
    system.filter(isEmptyText).map(({ at }) => at),
  ),
  ofBlocks(['citations', 'errors', 'citations are a list or left out'], [], ({ block }) => block.citations === null),
  ofBlocks(
    ['picture', 'build-with-claude/vision', 'a picture has a source and a type that the API reads'],
    [],
    (placed) => [placed, ...partsOf(placed)].some(isBadPicture),
  ),
  ofRequest(['last-message', 'errors', "the last message is the user's"], ({ messages, model, thinks }) => {
    return messages.at(-1)?.role === 'assistant' && (thinks || NO_PREFILL.test(model));
  }),
  ofMessages(['system-model', SYSTEM, 'the model takes messages of the system'], ({ role }, _, { model }) => {
    // Of a model with a name of another kind nothing is known.
    return role === 'system' && /claude|opus|sonnet|haiku/.test(model) && !HEAR_SYSTEM.test(model);
  }),
  ofMessages(
    ['system-place', SYSTEM, "a message of the system stands behind the user's, and no user's behind it"],
    (message, index, { messages }) => {
      const [before, after] = [messages[index - 1], messages[index + 1]];
      return (
        message.role === 'system' && (before?.role !== 'user' || after?.role === 'user' || after?.role === 'system')
      );
    },
  ),
];

const ROLES = new Set(['user', 'assistant', 'system']);

function isBlank({ block }: Placed): boolean {
  return typeof block.text !== 'string' || block.text.trim() === '';
}

function isEmptyText({ block: { type, text } }: Placed): boolean {
  return type === 'text' && (text ?? '') === '';
}

function isBadPicture({ block }: Placed): boolean {
  if (block.type !== 'image') return false;
  const { type, media_type, data } = fieldsOf(block.source);
  if (type !== 'base64') return type !== 'url' && type !== 'file';
  return !PICTURES.has(String(media_type)) || !/^[A-Za-z0-9+/]+=*$/.test(String(data));
}

const MARKS = 'build-with-claude/prompt-caching';

/** Marks of the cache. */
export const CACHE_RULES: readonly Rule[] = [
  ofRequest(['marks', MARKS, 'a request has at most four marks of the cache'], (sent) => {
    return marked(sent).length + (sent.body.cache_control === undefined ? 0 : 1) > 4;
  }),
  rule(['mark-on-text', MARKS, 'an empty text has no mark'], (sent) =>
    marked(sent)
      .filter(isEmptyText)
      .map(({ at }) => at),
  ),
  rule(['mark-on-thought', 'errors', 'a thought has no mark'], (sent) =>
    marked(sent)
      .filter(({ block }) => isThought(block))
      .map(({ at }) => at),
  ),
  rule(['mark-order', MARKS, 'no mark of an hour stands behind one of five minutes'], (sent) => {
    const hours = marked(sent).map(({ block }) => fieldsOf(block.cache_control).ttl === '1h');
    return hours.slice(hours.indexOf(false)).includes(true) && hours.includes(false) ? ['cache_control'] : [];
  }),
];

function marked({ tools, system, messages }: Parameters<Rule['broken']>[0]): Placed[] {
  const listed = tools.map((block, index) => ({ block, at: `tools.${index}` }));
  const said = messages.flatMap(({ blocks }) => blocks.flatMap((placed) => [placed, ...partsOf(placed)]));
  return [...listed, ...system, ...said].filter(({ block }) => Boolean(block.cache_control));
}
