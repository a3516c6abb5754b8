import { type Fields, fieldsOf, isFields, jsonText, stringOf, textOf } from '../../protocol/fields.ts';
import { type CutCollection, cutJson, storedJson } from '../../text/cut-json.ts';
import { cutText } from '../../text/cut-text.ts';
import { cutUnits as shorten } from '../../text/words.ts';
import { isAgentCall } from '../agents/agents.ts';
import { codePoints, estimateTokens } from '../gauge/token-estimate.ts';
import type { GovernorState } from '../state.ts';
import { decide, emit } from '../steps.ts';
import { tokensForResult } from './room.ts';
import type { ResultPlan, ToolCall } from './tool-budget.ts';
import { addRecord, answerHook, charsPerToken, countCut, reserveRoom } from './tool-state.ts';

/** Maximum UTF-16 units of a call's input that identify the call. */
const TITLE_LENGTH = 120;

/** UTF-16 units of a replacement that identify it in the stream. */
const PROOF_LENGTH = 40;

/** Stores the whole result before it is cut, so that no text is lost. */
export function planCut(
  state: GovernorState,
  call: ToolCall,
  { text, texts }: ResultText,
  allowed: number,
): GovernorState {
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
  return emit(addRecord(state, 'waiting', requestId, plan), { kind: 'store-result', requestId, name, text: whole });
}

/** Cuts a result after the whole was stored at `path`. Without a path the result reaches the agent unchanged. */
export function cutResult(state: GovernorState, plan: ResultPlan, path: string | undefined): GovernorState {
  const { call, tokens } = plan;
  const result = resultText(call.tool, call.response);
  const unchanged = answerHook(reserveRoom(state, call, { tokens }), call);
  if (path === undefined || result === undefined) return unchanged;
  const { text, context } =
    plan.json === undefined
      ? replacementText(state, plan, result.text, path)
      : jsonInstead(state, plan, plan.json, path);
  const cutTokens = estimateTokens(text, charsPerToken(state));
  if (codePoints(text) >= codePoints(result.text)) return unchanged;
  const open = { tokens: cutTokens, proof: evidenceOf(text, plan), cut: tokens - cutTokens };
  const reason = `about ${tokens} tokens, and ${plan.allowed} are left for one result`;
  const noted = decide(state, 'tool-budget:result', reason, { tool: call.tool, tokens, left: cutTokens, path });
  const cut = { updatedToolOutput: result.replaced(text) };
  return answerHook(countCut(reserveRoom(noted, call, open), call), call, context, cut);
}

/** Text that only the replacement contains: the opening of cut text, or the end of cut JSON. */
function evidenceOf(text: string, { json }: ResultPlan): string {
  const trimmed = text.trim();
  if (json === undefined) return trimmed.slice(0, PROOF_LENGTH);
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).slice(-PROOF_LENGTH);
}

function replacementText(state: GovernorState, { call, allowed, tokens }: ResultPlan, text: string, path: string) {
  const title = titleOf(call);
  const room = Math.floor(allowed * charsPerToken(state)) - title.length - path.length - OPENING_LENGTH;
  const part = cutText(text, Math.max(0, room));
  const size = `${codePoints(text)} characters in ${part.lines} ${part.lines === 1 ? 'line' : 'lines'}${exitText(call)}`;
  const atOnce = Math.max(1, Math.floor((tokensForResult(state, call) * part.lines) / tokens));
  const howToContinue =
    atOnce < part.lines
      ? `continue with Read, offset=${part.nextLine}; the budget allows about ${atOnce} lines at a time.`
      : 'its lines are long: take parts by characters, as with cut -c or head -c.';
  const opening = `[ctxb cut this result to fit the tool budget. ${title}: ${size}. The full result is in ${path}: ${howToContinue}]`;
  return { text: `${opening}\n${part.text}`, context: '' };
}

/** Maximum UTF-16 units of the opening before the text, without title and path. */
const OPENING_LENGTH = 300;

/** Maximum number of cut lists to describe: claude shows only the beginning of a long context. */
const MAX_LISTS = 8;

/** Describes the cuts next to the result: the JSON stays valid. */
function jsonInstead(
  state: GovernorState,
  { call }: ResultPlan,
  { text, lists, hasCutTexts, stored }: NonNullable<ResultPlan['json']>,
  path: string,
) {
  const listNotes = lists.slice(0, MAX_LISTS).map((list, index) => listNote(list, stored.nextLines[index] ?? 1));
  const more = lists.length > MAX_LISTS ? `${lists.length - MAX_LISTS} more of its lists and objects are cut.` : '';
  const longTexts = hasCutTexts ? 'Long texts in it end with "…".' : '';
  const ratio = charsPerToken(state);
  const lines = Math.max(1, stored.text.split('\n').length);
  const perLine = Math.max(1, estimateTokens(stored.text, ratio) / lines);
  const atOnce = Math.max(1, Math.floor(tokensForResult(state, call) / perLine));
  const way = `Read it there with offset and limit; the budget allows about ${atOnce} lines at a time.`;
  const opening = `ctxb cut the JSON of ${titleOf(call)} to fit the budget of tools. The full result is in ${path}.`;
  return { text, context: [opening, ...listNotes, more, longTexts, way].filter(Boolean).join(' ') };
}

/** Describes a cut list. @param line the line of the stored text on which the first omitted member begins */
function listNote({ kind, path, total, returned, next }: CutCollection, line: number): string {
  const opening = `${shorten(path, TITLE_LENGTH)}: total ${total}, returned ${returned}, `;
  if (kind === 'array') return `${opening}the next has offset ${returned} and begins on line ${line} of that file.`;
  return `${opening}the first that is left out is ${shorten(next.name ?? '', TITLE_LENGTH)} on line ${line} of that file.`;
}

function titleOf({ tool, input }: ToolCall): string {
  const words = textOf(input.command) ?? textOf(input.file_path) ?? textOf(input.description) ?? jsonText(input);
  return `${tool} ${shorten(words.replaceAll(/\s+/g, ' '), TITLE_LENGTH)}`;
}

/** Describes the exit status. Only successful calls get here; grep and similar commands explain their status. */
function exitText({ tool, response }: ToolCall): string {
  if (tool !== 'Bash') return '';
  const { interrupted, backgroundTaskId, returnCodeInterpretation } = fieldsOf(response);
  if (interrupted === true) return ', interrupted';
  if (typeof backgroundTaskId === 'string') return ', still running';
  const meaning = textOf(returnCodeInterpretation);
  return meaning === undefined ? ', exit status 0' : `, ${meaning}`;
}

interface ResultText {
  /** The text as the model should see it. */
  readonly text: string;
  /** The text blocks, if the result is a list. */
  readonly texts?: readonly string[];
  /** Whether claude stores the whole result. It shows the model the beginning, and where the rest is. */
  readonly isStored?: boolean;
  /** Returns the tool's own shape, which claude checks: with any other shape it silently keeps the original. */
  readonly replaced: (text: string) => unknown;
}

/**
 * The text of a result; undefined for forms that are not cut, such as results that claude stored itself with a preview.
 */
export function resultText(tool: string, response: unknown): ResultText | undefined {
  if (tool.startsWith('mcp__')) {
    if (typeof response === 'string') return textResult(response, (text) => [{ type: 'text', text }]);
    // A list with texts, pictures and other blocks; with structured content, a text that contains JSON.
    return Array.isArray(response) ? listText(response, (blocks) => blocks) : undefined;
  }
  const report = fieldsOf(response);
  if (tool === 'Bash') return bashText(report);
  if (tool === 'Read') return lineText(report);
  return isAgentCall(tool) ? agentText(report) : undefined;
}

/** UTF-16 units above which claude stores a result of an MCP tool or a subagent that is only text. */
const STORED_LENGTH = 50_000;

function textResult(text: string, replaced: ResultText['replaced'], isOnlyText = true): ResultText {
  return { text, isStored: (isOnlyText && text.length > STORED_LENGTH) || SAVED.test(text), replaced };
}

/** claude's text in place of an MCP tool's result above its token limit. */
const SAVED = /^Error: result \([\d,]+ characters.{0,80}exceeds maximum allowed tokens\. Output has been saved to /;

function bashText(report: Fields): ResultText | undefined {
  const { stdout, stderr, interrupted } = report;
  if (typeof stdout !== 'string' || typeof interrupted !== 'boolean' || report.isImage === true) return undefined;
  const errors = stringOf(stderr);
  return {
    text: errors === '' ? stdout : `${stdout}\n${errors}`,
    isStored: typeof report.persistedOutputPath === 'string',
    replaced: (text) => ({ ...report, stdout: text, stderr: '' }),
  };
}

/**
 * The text of a file of one line, which no limit shortens. claude numbers several lines, and a gap would make the
 * numbers wrong.
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

/** The new text replaces the first text and removes the others; blocks of other types stay. */
function listText(blocks: readonly unknown[], whole: (blocks: readonly unknown[]) => unknown): ResultText | undefined {
  const texts = blocks.flatMap((block) => (isText(block) ? [block.text] : []));
  const first = blocks.findIndex(isText);
  if (first < 0) return undefined;
  const replaced = (text: string) =>
    whole(
      blocks.flatMap((block, index) => (index === first ? [{ type: 'text', text }] : isText(block) ? [] : [block])),
    );
  return { ...textResult(texts.join('\n'), replaced, texts.length === blocks.length), texts };
}

function isText(block: unknown): block is { readonly type: 'text'; readonly text: string } {
  return isFields(block) && block.type === 'text' && typeof block.text === 'string';
}
