import { type Fields, fieldsOf, isFields, jsonText, stringOf, textOf } from '../../protocol/fields.ts';
import { isAgentCall } from '../agents/agents.ts';
import { codePoints, estimateTokens } from '../gauge/token-estimate.ts';
import { cut as shorten } from '../prompts/sentences.ts';
import type { GovernorState } from '../state.ts';
import { decided, keep, type Step } from '../steps.ts';
import { type CutList, cutJson, storedJson } from './cut-json.ts';
import { cutText } from './cut-text.ts';
import { allocation } from './room.ts';
import type { ResultPlan, ToolCall } from './tool-budget.ts';
import { answered, charsPerToken, countCut, keepOpen, remember } from './tool-state.ts';

/** Of a call's input, as far as it names the call. */
const TITLE_LENGTH = 120;

/** UTF-16 units of what was put in the place of a result, to find it again on the stream. */
const PROOF_LENGTH = 40;

/** Has the whole of it stored first: nothing is cut that is not kept. */
export function planCut(state: GovernorState, call: ToolCall, { text, texts }: ResultText, allowed: number): Step {
  const ratio = charsPerToken(state);
  const json = cutJson(text, Math.floor(allowed * ratio));
  const plan: ResultPlan = {
    kind: 'result',
    call,
    allowed,
    tokens: estimateTokens(text, ratio),
    json: json && { ...json, stored: storedJson(text, json.lists) },
  };
  const { requestId, toolUseId: name } = call;
  const whole = plan.json?.stored.text ?? texts ?? text;
  return keep(remember(state, 'waiting', requestId, plan), [{ kind: 'store-result', requestId, name, text: whole }]);
}

/** The whole is stored at `path`; undefined: it could not be, so it goes to the agent as it is. */
export function cutResult(state: GovernorState, plan: ResultPlan, path: string | undefined): Step {
  const { call, tokens } = plan;
  const result = resultText(call.tool, call.response);
  const asItIs = answered(keepOpen(state, call, { tokens }), call);
  if (path === undefined || result === undefined) return asItIs;
  const { text, context } =
    plan.json === undefined ? textInstead(state, plan, result.text, path) : jsonInstead(state, plan, plan.json, path);
  const left = estimateTokens(text, charsPerToken(state));
  if (codePoints(text) >= codePoints(result.text)) return asItIs;
  const open = { tokens: left, proof: proofOf(text, plan) };
  const reason = `about ${tokens} tokens, and ${plan.allowed} are left for one result`;
  const note = decided(state, 'cut-result', reason, { tool: call.tool, tokens, left, path });
  const cut = { updatedToolOutput: result.replaced(text) };
  return answered(countCut(keepOpen(state, call, open), call), call, context, cut, note);
}

/** Words that the whole does not have: a text begins with ours; cut JSON is another only where it ends. */
function proofOf(text: string, { json }: ResultPlan): string {
  const trimmed = text.trim();
  if (json === undefined) return trimmed.slice(0, PROOF_LENGTH);
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).slice(-PROOF_LENGTH);
}

function textInstead(state: GovernorState, { call, allowed, tokens }: ResultPlan, text: string, path: string) {
  const title = titleOf(call);
  const room = Math.floor(allowed * charsPerToken(state)) - title.length - path.length - OPENING_LENGTH;
  const part = cutText(text, Math.max(0, room));
  const size = `${codePoints(text)} characters in ${part.lines} ${part.lines === 1 ? 'line' : 'lines'}${exitText(call)}`;
  const atOnce = Math.max(1, Math.floor((allocation(state, call.tool, call.agent) * part.lines) / tokens));
  const way =
    atOnce < part.lines
      ? `continue with Read, offset=${part.nextLine}; the budget allows about ${atOnce} lines at a time.`
      : 'its lines are long: take parts by characters, as with cut -c or head -c.';
  const opening = `[ctxb cut this result to fit the tool budget. ${title}: ${size}. The full result is in ${path}: ${way}]`;
  return { text: `${opening}\n${part.text}`, context: '' };
}

/** The most that the words before the text take, without title and path. */
const OPENING_LENGTH = 300;

/** Lists of which it is told what they have lost: of a long context claude shows only the beginning. */
const MOST_LISTS = 8;

/** What was cut of JSON is told beside it, so that it stays what it is. */
function jsonInstead(
  state: GovernorState,
  { call }: ResultPlan,
  { text, lists, hasCutTexts, stored }: NonNullable<ResultPlan['json']>,
  path: string,
) {
  const lost = lists.slice(0, MOST_LISTS).map((list, index) => lostText(list, stored.nextLines[index] ?? 1));
  const more = lists.length > MOST_LISTS ? `${lists.length - MOST_LISTS} more of its lists and objects are cut.` : '';
  const longTexts = hasCutTexts ? 'Long texts in it end with "…".' : '';
  const ratio = charsPerToken(state);
  const lines = Math.max(1, stored.text.split('\n').length);
  const perLine = Math.max(1, estimateTokens(stored.text, ratio) / lines);
  const atOnce = Math.max(1, Math.floor(allocation(state, call.tool, call.agent) / perLine));
  const way = `Read it there with offset and limit; the budget allows about ${atOnce} lines at a time.`;
  const opening = `ctxb cut the JSON of ${titleOf(call)} to fit the budget of tools. The full result is in ${path}.`;
  return { text, context: [opening, ...lost, more, longTexts, way].filter(Boolean).join(' ') };
}

/** @param line of the stored text, on which the first member begins that was left out */
function lostText({ kind, path, total, returned, next }: CutList, line: number): string {
  const opening = `${shorten(path, TITLE_LENGTH)}: total ${total}, returned ${returned}, `;
  if (kind === 'array') return `${opening}the next has offset ${returned} and begins on line ${line} of that file.`;
  return `${opening}the first that is left out is ${shorten(next.name ?? '', TITLE_LENGTH)} on line ${line} of that file.`;
}

function titleOf({ tool, input }: ToolCall): string {
  const words = textOf(input.command) ?? textOf(input.file_path) ?? textOf(input.description) ?? jsonText(input);
  return `${tool} ${shorten(words.replaceAll(/\s+/g, ' '), TITLE_LENGTH)}`;
}

/** Only what has succeeded comes here; grep and its like say with their exit status what they mean by it. */
function exitText({ tool, response }: ToolCall): string {
  if (tool !== 'Bash') return '';
  const { interrupted, backgroundTaskId, returnCodeInterpretation } = fieldsOf(response);
  if (interrupted === true) return ', interrupted';
  if (typeof backgroundTaskId === 'string') return ', still running';
  const meaning = textOf(returnCodeInterpretation);
  return meaning === undefined ? ', exit status 0' : `, ${meaning}`;
}

/** The text of a tool's result as the model is to see it, and the result with another text in its place. */
interface ResultText {
  readonly text: string;
  /** The blocks of the text, if it is a list. */
  readonly texts?: readonly string[];
  /** The tool's own shape, which claude checks: given any other, it silently keeps the original. */
  readonly replaced: (text: string) => unknown;
}

/**
 * The text in the result of a tool whose shape is known; undefined for others, which are left alone. What claude has
 * stored itself, and shows the beginning of, is one of these.
 */
export function resultText(tool: string, response: unknown): ResultText | undefined {
  if (tool.startsWith('mcp__')) {
    if (typeof response === 'string') return { text: response, replaced: (text) => [{ type: 'text', text }] };
    // Texts, pictures and others in a list; with structured content, a text that is JSON.
    return Array.isArray(response) ? listText(response, (blocks) => blocks) : undefined;
  }
  const report = fieldsOf(response);
  if (tool === 'Bash') return bashText(report);
  if (tool === 'Read') return lineText(report);
  return isAgentCall(tool) ? agentText(report) : undefined;
}

const SAVED =
  /^Error: result \([\d,]+ characters.{0,80}exceeds maximum allowed tokens\. Output has been saved to (.+?)\.?(?:\n|$)/;

/** Where claude has stored a result that is too large for its own limits; undefined when it has not. */
export function storedPath(tool: string, response: unknown): string | undefined {
  if (tool === 'Bash') return textOf(fieldsOf(response).persistedOutputPath);
  return tool.startsWith('mcp__') ? SAVED.exec(stringOf(response))?.[1] : undefined;
}

function bashText(report: Fields): ResultText | undefined {
  const { stdout, stderr, interrupted } = report;
  if (typeof stdout !== 'string' || typeof interrupted !== 'boolean' || report.isImage === true) return undefined;
  const errors = stringOf(stderr);
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

function agentText(report: Fields): ResultText | undefined {
  const { content, status } = report;
  if (status !== 'completed' || !Array.isArray(content)) return undefined;
  return listText(content, (blocks) => ({ ...report, content: blocks }));
}

/** The new text takes the place of the first text; other blocks stay. */
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
