import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { findSessionLog, readSessionLog, type SessionLog } from '../claude/claude-log.ts';
import type { HookName } from '../core/governor/effects.ts';
import type { Fields } from '../core/protocol/fields.ts';
import { turns } from '../standin/scenario.ts';
import { Contradiction } from './check.ts';
import type { Conversation } from './stage/conversation.ts';
import { already, bash, eventsOf, orNothing, played, scene } from './stage/scene.ts';
import type { Stage } from './stage/stage.ts';

/** Contexts of the calls of the first turn, in tokens. */
export const CONTEXTS_OF_FIRST_TURN = [31_000, 42_000, 53_000] as const;

/** Two prompts, the first of them with two tools; then the end. */
export const plainTurns = scene({
  scenario: {
    calls: [
      { thinking: 'a thought', text: 'a word', tools: [bash('true')], context: CONTEXTS_OF_FIRST_TURN[0] },
      { tools: [bash('true')], context: CONTEXTS_OF_FIRST_TURN[1] },
      { text: 'the first answer', context: CONTEXTS_OF_FIRST_TURN[2] },
      { text: 'the second answer', context: 54_000 },
    ],
  },
  says: ['the first prompt', 'the second prompt'],
  ends: true,
});

/** The API refuses everything; then the end. */
export const refusedCall = scene({
  scenario: { calls: () => ({ error: { status: 400, message: 'refused on purpose' } }) },
  says: ['a prompt'],
  ends: true,
});

/** What ctxb asks before the first prompt. */
export const askedAtTheStart = scene({
  scenario: { calls: [] },
  hooks: { PreCompact: () => ({}), SessionStart: () => ({}) },
  asks: [{ subtype: 'get_context_usage', detail: 'summary' }, { subtype: 'get_usage' }],
});

/** A conversation that is compacted, goes on, is cleared, and goes on. */
export const compactAndClear = scene({
  scenario: {
    calls: turns([{ count: 1, from: 90_000, growBy: 10_000 }, [{ text: 'after compact' }], [{ text: 'after clear' }]]),
    summary: { text: '<summary>what the summary says</summary>' },
  },
  hooks: {
    PreCompact: () => ({ systemMessage: 'keep the paths' }),
    PostCompact: () => ({}),
    SessionStart: ({ source }) => hookOutput('SessionStart', { additionalContext: `added on ${source}` }),
  },
  says: [
    'the prompt before',
    '/compact focus on the parser',
    'the prompt after compact',
    '/clear',
    'the prompt after clear',
  ],
});

/** Three tools: the first is called with something else, the result of the second replaced, the third fails. */
export const toolsWithHooks = scene({
  scenario: {
    calls: [
      { tools: [bash('printf %s as-the-model-said')] },
      { tools: [bash('printf %s to-be-replaced')] },
      { tools: [bash('exit 3')] },
      { text: 'done' },
    ],
  },
  hooks: {
    UserPromptSubmit: () => hookOutput('UserPromptSubmit', { additionalContext: 'added to the prompt' }),
    PreToolUse: ({ tool_input: input }) => hookOutput('PreToolUse', isOf(input, 'as-the-model-said') ? CHANGED : {}),
    PostToolUse: ({ tool_input: input, tool_response: report }) =>
      hookOutput('PostToolUse', isOf(input, 'to-be-replaced') ? replaced(report) : {}),
    PostToolUseFailure: () => hookOutput('PostToolUseFailure', { additionalContext: 'added to the failure' }),
  },
  says: ['the prompt'],
});

const CHANGED = {
  updatedInput: { command: 'printf %s%s as-the-hook -said' },
  additionalContext: 'added before the tool',
};

function replaced(report: unknown) {
  return {
    updatedToolOutput: { ...Object(report), stdout: 'made by the hook' },
    additionalContext: 'added after the tool',
  };
}

function isOf(input: unknown, words: string): boolean {
  return JSON.stringify(input).includes(words);
}

/** The uuid of the prompt before the kill. */
export const UUID_BEFORE_KILL = randomUUID();
/** Context of the last call before the kill, in tokens. */
export const CONTEXT_BEFORE_KILL = 125_000;

/** A claude is killed after a turn, and another goes on with its session. */
export const resumedAfterKill = played(
  { scenario: { calls: [{ text: 'the answer before', context: CONTEXT_BEFORE_KILL }, { text: 'the answer after' }] } },
  async (first, stage) => {
    const before = await first.turn('the prompt before', UUID_BEFORE_KILL);
    const { second, log } = await resume(stage, first);
    const answer = orNothing(second.ask({ subtype: 'get_context_usage', detail: 'summary' }));
    const after = await second.turn('the prompt after');
    return { turns: [before, after], answers: [await already(answer)], log };
  },
);

/** A result that an exact compaction leaves out, and the budget that is too small for it. */
export const LEFT_OUT = 'line 2500 of what the tool said';
const BUDGET = 2_000;

/** The mod is loaded into a running claude and answers a compaction; another claude, without it, resumes the session. */
export const compactedExactly = played(
  {
    scenario: {
      calls: [
        { tools: [bash('seq -f "line %g of what the tool said" 2000 2800')] },
        { text: 'the answer before' },
        { text: 'the answer after' },
        { text: 'the answer when resumed' },
      ],
      summary: { text: '<summary>what the summary says</summary>' },
    },
  },
  async (first, stage) => {
    const mod = stage.makeModFolder();
    const before = await first.turn('the prompt before');
    const loaded = await first.ask({ subtype: 'reload_plugins', add_plugins: [{ type: 'local', path: mod.path }] });
    mod.plan({ version: 1, note: 'what the note says', budget: BUDGET });
    const turns = [before, await first.turn('/compact'), await first.turn('the prompt after')];
    const { second } = await resume(stage, first);
    return { turns: [...turns, await second.turn('the prompt when resumed')], answers: [loaded] };
  },
);

/** The output of a hook that gives claude something, in the shape that claude takes it. */
export function hookOutput(hook: HookName, fields: Fields): Fields {
  return { hookSpecificOutput: { hookEventName: hook, ...fields } };
}

const LOOK_EVERY_MS = 20;

async function resume(stage: Stage, first: Conversation): Promise<{ second: Conversation; log: SessionLog }> {
  const session = eventsOf(first.events, 'init').at(-1)?.sessionId;
  if (session === undefined) throw new Contradiction('no system/init line names the session');
  const log = await logOf(session, stage);
  first.kill('SIGKILL');
  await first.ended();
  return { second: await stage.start({ args: ['--resume', session] }), log };
}

/** Waits until claude has logged the end of its turn, which it does a moment later. */
async function logOf(session: string, { scratch, patience }: Stage): Promise<SessionLog> {
  for (;;) {
    const path = findSessionLog(session, { env: scratch.env, cwd: scratch.cwd });
    const log = path === undefined ? undefined : readSessionLog(path);
    if (log?.finished) return log;
    if (patience.aborted) throw new Contradiction(log === undefined ? 'there is no log' : 'the log lacks its answer');
    await delay(LOOK_EVERY_MS);
  }
}
