import type { Message } from '../../../src/core/exact/message.ts';
import type { Random } from '../../support/random.ts';

/** A step of a made-up conversation. `calls`: command and result; a result that is undefined never came. */
export type Said =
  | string
  | {
      readonly words?: string;
      readonly thought?: true;
      readonly calls?: readonly (readonly [command: string, result: string | undefined, failed?: 'failed'])[];
    };

/** Messages as claude tells them to a mod: one a content block, results behind all calls of their reply. */
export function listed(...steps: readonly Said[]): Message[] {
  let id = 0;
  const rows = steps.flatMap((step, at): Omit<Message, 'handle'>[] => {
    if (typeof step === 'string') return [{ role: 'user', text: step, toolUses: [] }];
    const calls = (step.calls ?? []).map((call, index) => ({ call, id: `use-${at}-${index}-${call[0]}` }));
    const said = (text: string) => ({ role: 'assistant' as const, text, toolUses: [] });
    return [
      ...(step.thought ? [said('')] : []),
      ...(step.words === undefined ? [] : [said(step.words)]),
      ...calls.map(({ call: [command], id: tool_use_id }) => ({
        ...said(''),
        toolUses: [{ tool_use_id, tool: 'Bash', input: { command } }],
      })),
      ...calls.flatMap(({ call: [, text, failed], id: tool_use_id }) =>
        text === undefined
          ? []
          : [
              {
                role: 'user' as const,
                ...{ text: '', toolUses: [] },
                toolResults: [{ tool_use_id, text, isError: failed !== undefined }],
              },
            ],
      ),
    ];
  });
  return rows.map((row) => ({ ...row, handle: `row-${id++}` }));
}

/** What a mod is told of messages that an earlier compaction has left: rows of claude's own again, a block each. */
export function listedAgain(messages: readonly Message[], round: number): Message[] {
  return messages
    .flatMap((message) => {
      const { role, text, toolUses, toolResults = [] } = message;
      if (toolUses.length + toolResults.length <= 1 && (text === '' || toolUses.length === 0)) return [message];
      return [
        ...(text === '' ? [] : [{ role, text, toolUses: [] }]),
        ...toolUses.map((use) => ({ role, text: '', toolUses: [use] })),
        ...toolResults.map((result) => ({ role, text: '', toolUses: [], toolResults: [result] })),
      ];
    })
    .map((message, at) => ({ ...message, handle: `row-${round}-${at}` }));
}

const WORDS = ['Looking.', '', 'The limit is in src/a.ts.\n\nIt is 40.', 'x'.repeat(3_000)] as const;

/** One of everything that stands in conversations. Prompts are told apart by their numbers. */
export function randomTalk(random: Random, turns: number, name = ''): Message[] {
  const steps: Said[] = [];
  for (let turn = 0; turn < turns; turn++) {
    steps.push(`PROMPT-${name}${turn} ${'please '.repeat(random.whole(0, 40))}`);
    if (random.chance(0.1))
      steps.push('', 'This session is being continued from a previous conversation. It was long.');
    for (let call = random.whole(0, 6); call > 0; call--) steps.push(randomStep(random));
    if (random.chance(0.1)) steps.push('[Request interrupted by user]');
    else steps.push({ words: random.pick(WORDS) || 'Done.', ...(random.chance(0.3) ? { thought: true } : {}) });
    if (random.chance(0.15))
      steps.push('<command-name>/context</command-name>', '<local-command-stdout>…</local-command-stdout>');
  }
  if (random.chance(0.5)) steps.push(`PROMPT-${name}${turns}`, randomStep(random, true));
  const named = <T extends { readonly tool_use_id: string }>(one: T) => ({
    ...one,
    tool_use_id: name + one.tool_use_id,
  });
  return listed(...steps).map(({ handle, toolUses, toolResults, ...message }) => ({
    ...message,
    handle: name + handle,
    toolUses: toolUses.map(named),
    ...(toolResults && { toolResults: toolResults.map(named) }),
  }));
}

function randomStep(random: Random, isAnswered = false): Said {
  const calls = Array.from({ length: random.whole(1, 3) }, (_, at) => {
    const command = `${random.pick(['npm test', 'cat a.ts', 'rg -n limit src', 'git status'])} # ${random.whole(0, 9)}${at}`;
    const text = random.chance(0.05)
      ? 'File unchanged since last read. The content from the earlier Read is still current.'
      : `line ${random.whole(0, 999)} 表 error: no such file\n`.repeat(
          random.whole(0, random.chance(0.1) ? 2_000 : 60),
        );
    const failed = random.chance(0.2) ? (['failed'] as const) : ([] as const);
    return [command, !isAnswered && random.chance(0.03) ? undefined : text, ...failed] as const;
  });
  return { words: random.pick(WORDS), calls, ...(random.chance(0.5) ? { thought: true } : {}) };
}
