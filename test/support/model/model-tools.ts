import type { Line } from '../governor.ts';
import type { Random } from '../random.ts';

/** A call of a tool, with what it gives in the tool's own shape and in the model's. */
export interface ToolCall {
  readonly name: string;
  readonly input: Line;
  /** The result for an input. */
  readonly give: (input: Line) => { readonly response: unknown; readonly text: string };
}

const COMMANDS = ['make', 'npm test', 'git log', 'grep -rn x .', 'cat a.txt'] as const;

/** A call that a modelled claude makes: mostly of what it has called before, now and then with a large result. */
export function randomCall(random: Random): ToolCall {
  const size = random.weighted({ small: 4, large: 1, huge: 1 });
  const lines = { small: random.whole(0, 50), large: random.whole(1_000, 1_600), huge: random.whole(2_000, 9_000) }[
    size
  ];
  return random.pick([bash, read, list, grep])(random, lines);
}

function bash(random: Random, lines: number): ToolCall {
  const stdout = text(random, Math.min(lines, 1_600));
  const more = random.chance(0.1) ? { persistedOutputPath: '/stored.txt', persistedOutputSize: 90_000 } : {};
  const response = { stdout, stderr: '', interrupted: false, isImage: false, ...more };
  return { name: 'Bash', input: { command: random.pick(COMMANDS) }, give: () => ({ response, text: stdout }) };
}

function read(random: Random, lines: number): ToolCall {
  const whole = text(random, lines).split('\n');
  const input: Line = {
    file_path: `/home/dev/project/${random.whole(1, 5)}.txt`,
    ...(random.chance(0.3) ? { offset: random.whole(1, 3_000) } : {}),
    ...(random.chance(0.3) ? { limit: random.whole(1, 3_000) } : {}),
  };
  const give = ({ offset, limit }: Line) => {
    const from = Number(offset ?? 1) - 1;
    const part = whole.slice(from, limit === undefined ? undefined : from + Number(limit));
    const file = { filePath: input.file_path, content: part.join('\n'), numLines: part.length, startLine: from + 1 };
    const shown = part.map((line, at) => `${from + at + 1}\t${line}`).join('\n');
    return { response: { type: 'text', file: { ...file, totalLines: whole.length } }, text: shown };
  };
  return { name: 'Read', input, give };
}

function list(random: Random, length: number): ToolCall {
  const items = Array.from({ length }, (_, id) => ({ id, name: `item ${id}` }));
  const input: Line = { q: 'x', ...(random.chance(0.4) ? { limit: random.whole(1, 100) } : {}) };
  const give = ({ limit }: Line) => {
    const shown = JSON.stringify({ items: items.slice(0, limit === undefined ? undefined : Number(limit)) });
    return { response: [{ type: 'text', text: shown }], text: shown };
  };
  return { name: 'mcp__srv__list', input, give };
}

function grep(random: Random, lines: number): ToolCall {
  const content = text(random, lines);
  const response = { mode: 'content', numFiles: 0, filenames: [], content };
  return { name: 'Grep', input: { pattern: 'x' }, give: () => ({ response, text: content }) };
}

function text(random: Random, lines: number): string {
  const line = random.pick(['a line of output', 'error: it broke', '', 'words '.repeat(40)]);
  return Array.from({ length: lines }, (_, at) => `${line} ${at}`).join('\n');
}

/** The text of a replaced result, as the model sees it. */
export function shownOf(output: unknown): string {
  if (Array.isArray(output)) return output.map((block: { readonly text?: string }) => block.text ?? '').join('\n');
  const { stdout, file } = output as { readonly stdout?: string; readonly file?: { readonly content: string } };
  return stdout ?? file?.content ?? '';
}
