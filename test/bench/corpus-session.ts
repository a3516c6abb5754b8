import type { Random } from '../support/random.ts';
import { fixture, objectsOf } from '../support/recordings.ts';
import { between, textOf } from './corpus-text.ts';

/** A session log that goes on as long as it is asked to. */
export interface Session {
  /** The lines of the next turn. */
  turn(): string[];
}

type Line = Readonly<Record<string, unknown>>;

const RECORDING = 'native-mid-turn.session.jsonl';

/** Shares of tool results by size, and of lines that are not ASCII. */
const LARGE_RESULTS = 0.11;
const HUGE_RESULTS = 0.0005;
const FOREIGN_TEXTS = 0.45;
const FOREIGN_LARGE_TEXTS = 0.72;

/** The context grows until claude compacts it. In tokens. */
const FIRST = 20_000;
const FULL = 160_000;
const CHARS_PER_TOKEN = 4;

export function createSession(id: string, random: Random): Session {
  const shapes = shapesOf();
  let number = 0;
  let context = FIRST;
  let time = Date.parse('2026-01-05T08:00:00Z');
  let last: string | null = null;

  /** A line of one of the shapes, with ids of its own. */
  function line(shape: Line, more: Line): string {
    number++;
    time += random.whole(20, 8_000);
    const uuid = `${id.slice(0, 8)}-${String(number)
      .padStart(12, '0')
      .replace(/^(.{4})/, '$1-4000-8000-')}`;
    const own: Record<string, unknown> = { ...shape, ...more };
    if ('parentUuid' in shape) own.parentUuid = last;
    if ('uuid' in shape) own.uuid = last = uuid;
    if ('timestamp' in shape) own.timestamp = new Date(time).toISOString();
    own.sessionId = id;
    return JSON.stringify(own);
  }

  function text(least: number, most: number): string {
    return textOf(
      between(least, most, random),
      !random.chance(most > 10_000 ? FOREIGN_LARGE_TEXTS : FOREIGN_TEXTS),
      random,
    );
  }

  function answer(content: readonly unknown[], call: string): string {
    const message = shapes.assistant.message as Line;
    const read = Math.max(0, context - 600);
    const usage: Record<string, unknown> = {
      ...(message.usage as Line),
      input_tokens: 4,
      cache_read_input_tokens: read,
    };
    usage.cache_creation_input_tokens = context - read - 4;
    if ('cache_creation' in usage) {
      usage.cache_creation = { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: context - read - 4 };
    }
    return line(shapes.assistant, {
      requestId: `req_${call}`,
      message: { ...message, id: `msg_01${call.padStart(22, 'A')}`, content, usage },
    });
  }

  function resultText(): string {
    if (random.chance(HUGE_RESULTS)) return text(500_000, 2_000_000);
    return random.chance(LARGE_RESULTS) ? text(5_000, 95_000) : text(40, 5_000);
  }

  /** A call of the API: what the model says, the tool it uses, and the tool's result. */
  function call(): string[] {
    const name = `${id.slice(0, 8)}${number}`;
    const toolId = `toolu_${name}`;
    const result = resultText();
    const lines = [
      ...(random.chance(0.3) ? [answer([{ type: 'text', text: text(80, 1_500) }], name)] : []),
      answer([{ type: 'tool_use', id: toolId, ...toolOf(random, text) }], name),
      line(shapes.result, {
        message: {
          role: 'user',
          content: [{ tool_use_id: toolId, type: 'tool_result', content: result, is_error: false }],
        },
        toolUseResult: {
          stdout: result,
          stderr: '',
          interrupted: false,
          isImage: false,
        },
      }),
    ];
    context += Math.ceil(result.length / CHARS_PER_TOKEN / 4) + 300;
    return lines;
  }

  function compaction(): string[] {
    context = FIRST + 15_000;
    return [
      line(shapes.boundary, {}),
      line(shapes.summary, {
        message: {
          role: 'user',
          content: `${String((shapes.summary.message as Line).content).slice(0, 200)} ${text(4_000, 12_000)}`,
        },
      }),
    ];
  }

  return {
    turn() {
      const said = { message: { role: 'user', content: text(40, 2_000) } };
      const lines = [line(shapes.prompt, said)];
      for (let calls = random.whole(1, 14); calls > 0; calls--) {
        lines.push(...call());
        if (context > FULL) lines.push(...compaction());
      }
      lines.push(answer([{ type: 'text', text: text(200, 3_000) }], `${id.slice(0, 8)}${number}`));
      lines.push(line(shapes.last, {}));
      return lines;
    },
  };
}

function toolOf(random: Random, text: (least: number, most: number) => string): Line {
  const path = `/home/dev/project/src/part-${random.whole(1, 400)}.ts`;
  return random.weighted<'Bash' | 'Read' | 'Write' | 'Edit'>({ Bash: 5, Read: 4, Write: 0.5, Edit: 2 }) === 'Bash'
    ? { name: 'Bash', input: { command: text(20, 400), description: 'Run it' } }
    : random.pick<Line>([
        { name: 'Read', input: { file_path: path } },
        { name: 'Write', input: { file_path: path, content: text(500, 9_000) } },
        { name: 'Edit', input: { file_path: path, old_string: text(40, 1_500), new_string: text(40, 1_500) } },
      ]);
}

/** The shapes of lines, as claude wrote them. */
function shapesOf() {
  const lines = objectsOf(fixture(RECORDING));
  const find = (what: string, is: (line: Line) => boolean): Line => {
    const found = lines.find(is);
    if (found === undefined) throw new Error(`${RECORDING} has no ${what}`);
    return found;
  };
  const contentOf = ({ message }: Line): unknown => (message as Line | undefined)?.content;
  const isResult = (line: Line) => JSON.stringify(contentOf(line) ?? '').includes('tool_result');
  return {
    prompt: find('prompt', (line) => line.type === 'user' && !isResult(line)),
    assistant: find('answer', (line) => line.type === 'assistant'),
    result: find('result of a tool', (line) => line.type === 'user' && isResult(line)),
    boundary: find('boundary', (line) => line.subtype === 'compact_boundary'),
    summary: find('summary', (line) => line.isCompactSummary === true),
    last: find('end', (line) => line.type === 'last-prompt'),
  };
}
