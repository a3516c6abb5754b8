import { type Fields, fieldsOf, isFields, textOf } from '../../stream/fields.ts';

/** The text of a tool's result as the model is to see it, and the result with another text in its place. */
export interface ResultText {
  readonly text: string;
  /** What the text is joined from, where it is a list of blocks. */
  readonly texts?: readonly string[];
  /** The tool's own shape, which claude checks: with any other it goes on with the original and says nothing. */
  readonly replaced: (text: string) => unknown;
}

/**
 * The text in the result of a tool whose shape is known; undefined for others, which are left alone. What claude has
 * stored itself, and shows the beginning of, is one of these.
 */
export function resultText(tool: string, response: unknown): ResultText | undefined {
  if (tool.startsWith('mcp__')) return mcpText(response);
  switch (tool) {
    case 'Bash':
      return bashText(fieldsOf(response));
    case 'Agent':
    case 'Task':
      return agentText(fieldsOf(response));
    case 'Read':
      return lineText(fieldsOf(response));
    default:
      return undefined;
  }
}

const SAVED =
  /^Error: result \([\d,]+ characters.{0,80}exceeds maximum allowed tokens\. Output has been saved to (.+?)\.?(?:\n|$)/;

/** Where claude has stored a result that is too large for its own limits; undefined when it has not. */
export function storedPath(tool: string, response: unknown): string | undefined {
  if (tool === 'Bash') return textOf(fieldsOf(response).persistedOutputPath);
  return tool.startsWith('mcp__') ? SAVED.exec(textOf(response) ?? '')?.[1] : undefined;
}

function bashText(report: Fields): ResultText | undefined {
  const { stdout, stderr, interrupted } = report;
  if (typeof stdout !== 'string' || typeof interrupted !== 'boolean' || report.isImage === true) return undefined;
  const errors = textOf(stderr) ?? '';
  return {
    text: errors === '' ? stdout : `${stdout}\n${errors}`,
    replaced: (text) => ({ ...report, stdout: text, stderr: '' }),
  };
}

/**
 * A single line, which no limit makes shorter. claude numbers the lines of what it is given, so that of several lines
 * those behind a gap would have wrong numbers.
 */
function lineText(report: Fields): ResultText | undefined {
  const file = fieldsOf(report.file);
  const { content, numLines } = file;
  if (report.type !== 'text' || typeof content !== 'string' || numLines !== 1) return undefined;
  return { text: content, replaced: (text) => ({ ...report, file: { ...file, content: text.replaceAll('\n', ' ') } }) };
}

/** Texts, pictures and others in a list; with structured content, a text that is JSON. */
function mcpText(response: unknown): ResultText | undefined {
  if (typeof response === 'string') return { text: response, replaced: (text) => [{ type: 'text', text }] };
  return Array.isArray(response) ? listText(response, (blocks) => blocks) : undefined;
}

function agentText(report: Fields): ResultText | undefined {
  const { content, status } = report;
  if (status !== 'completed' || !Array.isArray(content)) return undefined;
  return listText(content, (blocks) => ({ ...report, content: blocks }));
}

/** The text stands where the first of the texts stood; what is no text stays. */
function listText(blocks: readonly unknown[], whole: (blocks: readonly unknown[]) => unknown): ResultText | undefined {
  const texts = blocks.flatMap((block) => (isText(block) ? [block.text] : []));
  const first = blocks.findIndex(isText);
  if (first < 0) return undefined;
  return {
    text: texts.join('\n'),
    texts,
    replaced: (text) =>
      whole(blocks.flatMap((block, at) => (at === first ? [{ type: 'text', text }] : isText(block) ? [] : [block]))),
  };
}

function isText(block: unknown): block is { readonly type: 'text'; readonly text: string } {
  return isFields(block) && block.type === 'text' && typeof block.text === 'string';
}
