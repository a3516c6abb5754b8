import type { Random } from '../../support/random.ts';

type Row = Record<string, unknown>;

const MODELS = [
  'claude-opus-4-5-20251101',
  'claude-opus-4-6',
  'claude-sonnet-4-6',
  'claude-haiku-4-5',
  'other',
] as const;
const VERSIONS = ['1.0.128', '2.0.60', '2.1.29', '2.1.199', '2.1.332'] as const;

/** What a tool may have returned: text that looks like a row, and rows. */
const QUOTED = JSON.stringify({
  type: 'assistant',
  message: { id: 'q', usage: { input_tokens: 9, output_tokens: 9 } },
});

/** How claude begins a row of a conversation. */
const OPENING = '{"parentUuid":';

/** The bytes of a session log as no claude writes it, but something might. */
export function oddLog(random: Random): Buffer {
  const make = createRows(random);
  const lines = Array.from({ length: random.whole(3, 40) }, () => oddLine(make(), random));
  const ends = random.pick(['\n', '\n', '\r\n'] as const);
  // A light reading knows a second row in a line by how it begins.
  const isUsual = (line = '') => line.startsWith(OPENING);
  const text = lines.map((line, at) => line + (random.chance(0.03) && isUsual(lines[at + 1]) ? '' : ends)).join('');
  return Buffer.from((random.chance(0.1) ? '\ufeff' : '') + text);
}

/**
 * The same with a piece missing: from any byte to the beginning of a line or the end of the log, or from the beginning of a
 * line to any byte. A line whose beginning and end are both as they should be is whole for a light reading.
 */
export function torn(log: Buffer, random: Random): Buffer {
  const [any, other] = [random.whole(0, log.length), random.whole(0, log.length)];
  const before = log.indexOf(`\n${OPENING}`, other);
  const line = random.chance(0.3) || before === -1 ? log.length : before + 1;
  const [from, to] = [Math.min(any, line), Math.max(any, line)];
  return Buffer.concat([log.subarray(0, from), log.subarray(to)]);
}

/** The same with a piece missing from any byte to any byte: the rests of two lines may be one. */
export function gapped(log: Buffer, random: Random): Buffer {
  const [any, other] = [random.whole(0, log.length), random.whole(0, log.length)];
  return Buffer.concat([log.subarray(0, Math.min(any, other)), log.subarray(Math.max(any, other))]);
}

/** The same with one line cut off at any byte, as a process that was killed leaves it. */
export function killed(log: Buffer, random: Random): Buffer {
  const from = random.whole(0, log.length - 1);
  const end = log.indexOf('\n', from);
  return Buffer.concat([log.subarray(0, from), end < 0 ? Buffer.alloc(0) : log.subarray(end)]);
}

function createRows(random: Random): () => Row {
  let time = Date.parse('2026-05-01T10:00:00Z');
  let number = 0;
  let context = 20_000;
  let message = 'msg_first';
  let model: string = random.pick(MODELS);
  const version = random.pick(VERSIONS);
  const uuids: string[] = [];

  function row(more: Row): Row {
    number++;
    time += random.whole(-5, 60) * 1_000;
    const isAgain = random.chance(0.05) && uuids.length > 0;
    const uuid = isAgain ? uuids[random.whole(0, uuids.length - 1)] : `00000000-0000-4000-8000-${String(number)}`;
    uuids.push(uuid ?? '');
    const isSide = random.chance(0.15);
    return {
      parentUuid: null,
      isSidechain: isSide,
      ...(isSide && random.chance(0.7) && { agentId: random.pick(['a1', 'b2']) }),
      cwd: '/home/dev/a"b',
      ...(random.chance(0.97) && { sessionId: 's1' }),
      version,
      ...more,
      ...(random.chance(0.97) && { uuid }),
      ...(random.chance(0.95) && { timestamp: new Date(time).toISOString() }),
    };
  }

  function usage(): unknown {
    if (random.chance(0.03)) return random.pick([null, {}, 'usage', { input_tokens: 0, output_tokens: 0 }] as const);
    const output_tokens = random.pick<unknown>([1, 3, 900, '77', 0]);
    const read = { input_tokens: 4, cache_creation_input_tokens: 1_000, cache_read_input_tokens: context - 1_004 };
    const parts = [
      { type: 'message', ...read, output_tokens: 7 },
      {
        type: random.pick(['advisor_message', 'message'] as const),
        model: 'claude-opus-4-7',
        ...read,
        output_tokens: 30,
      },
    ];
    return {
      ...read,
      output_tokens,
      ...(random.chance(0.2) && { cache_creation: { ephemeral_1h_input_tokens: 500 } }),
      ...(random.chance(0.1) && { iterations: parts }),
      ...(random.chance(0.1) && { speed: 'fast', server_tool_use: { web_search_requests: 2 } }),
    };
  }

  function assistant(): Row {
    if (random.chance(0.6)) beginCall();
    const content = [
      ...(random.chance(0.5) ? [{ type: 'text', text: `I wrote "é€😀" ${'so '.repeat(random.whole(0, 90))}` }] : []),
      ...(random.chance(0.2) ? [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }] : []),
      toolUse(),
      ...(random.chance(0.05) ? [{ type: 'tool_result', content: 'of a search' }] : []),
    ];
    const stop_reason = random.pick([null, null, 'tool_use', 'end_turn'] as const);
    const from = random.chance(0.03) ? '<synthetic>' : model;
    const said = { id: message, model: from, content, stop_reason, usage: usage() };
    return row({ type: 'assistant', message: said, ...(random.chance(0.03) && { isApiErrorMessage: true }) });
  }

  function beginCall(): void {
    context = random.chance(0.1) ? 15_000 : context + random.whole(100, 9_000);
    message = random.chance(0.1) ? 'msg_first' : `msg_01AbCdEfGhIjKlMn${number}`;
    if (random.chance(0.1)) model = random.pick(MODELS);
  }

  function toolUse(): Row {
    const command = random.chance(0.05) ? SIGNED : 'ls "a" \\ b';
    const input = { command, n: 1.5, deep: { a: [null, true, 'x'], uuid: 'no' } };
    return { type: 'tool_use', id: 't', name: 'Bash', input };
  }

  function result(): Row {
    const content = random.pick<unknown>([
      QUOTED,
      'plain',
      [{ type: 'text', text: QUOTED }],
      [{ type: 'image', source: {} }],
    ]);
    const blocks = [
      { tool_use_id: 't', type: 'tool_result', content },
      ...(random.chance(0.1) ? [{ type: 'text', text: random.pick(SAID) }] : []),
    ];
    const report = random.pick([
      JSON.parse(QUOTED),
      { stdout: QUOTED, a: [{}, [], -0.5e3] },
      { status: 'completed', agentId: 'a1', agentType: 'Explore', usage: { input_tokens: 7, output_tokens: 3 } },
      { scheduledFor: 1_790_000_000_000, 'agent\u0000Id': '' },
      null,
      'Error: no',
    ] as const);
    return row({ type: 'user', message: { role: 'user', content: blocks }, toolUseResult: report });
  }

  function prompt(): Row {
    const content = random.chance(0.5) ? random.pick(SAID) : [{ type: 'text', text: random.pick(SAID) }];
    const marks = random.pick([
      {},
      {},
      { isMeta: true },
      { isCompactSummary: true },
      { origin: { kind: 'human' } },
    ] as const);
    return row({ type: 'user', message: { role: 'user', content }, ...marks });
  }

  const others: readonly [() => Row, ...(() => Row)[]] = [
    () =>
      row({
        type: 'system',
        subtype: 'compact_boundary',
        compactMetadata: { trigger: random.pick(['auto', 'manual'] as const), preTokens: context },
      }),
    () => row({ type: 'progress', data: { message: assistant(), normalizedMessages: [] } }),
    () =>
      row({ type: 'attachment', attachment: { type: 'queued_command', commandMode: 'prompt', prompt: 'and this' } }),
    () => row({ type: 'system', subtype: 'api_error', error: { status: 529 }, retryInMs: 500 }),
    () => ({ type: 'summary', summary: 'a title', leafUuid: 'x' }),
    () => ({ type: 'file-history-snapshot', messageId: 'm', snapshot: { timestamp: '2020-01-01T00:00:00Z', a: {} } }),
    () => row({ type: 'something-new', usage: { input_tokens: 5 } }),
    () => row({ type: 'queue-operation', operation: 'enqueue', content: QUOTED }),
  ];

  const kinds = { assistant, result, prompt, other: () => random.pick(others)() };
  return () => kinds[random.weighted({ assistant: 6, result: 4, prompt: 1, other: 2 })]();
}

const SIGNED = 'git commit -m "x\n\nCo-Authored-By: Claude Opus 4.6 (1M context) <noreply@anthropic.com>"';

const SAID = [
  'mend the lexer',
  '<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>sonnet[1m]</command-args>',
  '<local-command-stdout>Set model to Opus 4.6 (1M context)</local-command-stdout>',
  'This session is being continued from a previous conversation that ran out of context.',
  '<system-reminder>Token usage: 50000/180000; 130000 remaining</system-reminder>',
  '[Request interrupted by user]',
] as const;

function oddLine(row: Row, random: Random): string {
  const line = JSON.stringify(row);
  const changes: readonly [() => string, ...(() => string)[]] = [
    () => JSON.stringify(shuffled(row, random)),
    () => JSON.stringify(row, undefined, 1).replaceAll('\n', ' '),
    () => line.replace('"usage":', '"usage" : '),
    () => line.replaceAll('"type"', '"t\\u0079pe"'),
    () => line.replaceAll('e', (letter) => (random.chance(0.02) && random.chance(0.5) ? '\\u0065' : letter)),
    () => line.replace('"version"', '"version":"0.0.1","version"'),
    () => line.replace('"message":', '"message":{"usage":{"input_tokens":7}},"message":'),
    () => line.replace('"cwd"', '"__proto__":{"type":"x"},"cwd"'),
    () => line.replace('so ', 'so\u0000'),
    () => line.replace('a', '\t'),
    () => line.replace('":null', '":nul'),
    () => line.replace('":', '":01,"":'),
    () => `\u0000\u0000${line}`,
    () => `${line} `,
    () => line + line,
    () => line.slice(0, random.whole(1, line.length)) + line,
    () => `[${line}]`,
    () => '',
    () => 'null',
  ];
  return random.chance(0.25) ? random.pick(changes)() : line;
}

function shuffled(row: Row, random: Random): Row {
  const entries = Object.entries(row).map(([name, value]) => ({ name, value, place: random.next() }));
  return Object.fromEntries(entries.sort((a, b) => a.place - b.place).map(({ name, value }) => [name, value]));
}
