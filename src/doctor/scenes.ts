import { setTimeout as delay } from 'node:timers/promises';
import { findSessionLog } from '../claude/claude-folders.ts';
import { readSessionLog } from '../claude/claude-log.ts';
import { CALLBACKS } from '../core/governor/control/hook-callbacks.ts';
import type { HookName } from '../core/governor/effects.ts';
import { NATIVE_RESERVE_TOKENS } from '../core/governor/policy.ts';
import type { Fields } from '../core/protocol/fields.ts';
import { Contradiction, eventsOf, playScene, scene } from './check.ts';
import type { Conversation, Stage } from './stage.ts';

export const CONTEXTS_OF_FIRST_TURN = [31_000, 42_000, 53_000] as const;

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
});

export const askedAtTheStart = scene({
  scenario: { calls: [] },
  hooks: { PreCompact: () => ({}), SessionStart: () => ({}) },
  asks: [{ subtype: 'get_context_usage', detail: 'summary' }],
});

const HOOKS = Object.keys(CALLBACKS) as HookName[];

export const failingHooks = scene({
  scenario: {
    calls: [
      { tools: [bash('printf %s%s printed -by-the-tool'), bash('exit 3')] },
      { text: 'the answer', context: 100_000 },
      { text: 'the answer after' },
    ],
    summary: () => SUMMARY,
  },
  hooks: Object.fromEntries(HOOKS.map((name) => [name, () => undefined])),
  says: ['the prompt', '/compact', 'the prompt after'],
});

export const replacedResult = scene({
  scenario: { calls: [{ tools: [bash('printf %s to-be-replaced')] }, { text: 'done' }] },
  hooks: {
    PostToolUse: ({ tool_response: report }) =>
      hookOutput('PostToolUse', {
        updatedToolOutput: { ...Object(report), stdout: 'made by the hook' },
        additionalContext: 'added after the tool',
      }),
  },
  says: ['the prompt'],
});

const SUMMARY = { text: '<summary>what the summary says</summary>' };

const CONTEXT_HOOK = {
  SessionStart: ({ source }: Fields) => hookOutput('SessionStart', { additionalContext: `added on ${source}` }),
};

export const compactAndClear = scene({
  scenario: {
    calls: [
      { tools: [bash('true')], context: 90_000 },
      { text: 'Done.', context: 100_000 },
      { text: 'after compact' },
      { text: 'after clear' },
    ],
    summary: () => SUMMARY,
  },
  hooks: CONTEXT_HOOK,
  says: [
    'the prompt before',
    '/compact focus on the parser',
    'the prompt after compact',
    '/clear',
    'the prompt after clear',
  ],
});

export const TRIGGER = 120_000;
const SETTING = String(TRIGGER + NATIVE_RESERVE_TOKENS);

export const movedTrigger = scene({
  scenario: {
    calls: [
      ...[90_000, 110_000, 130_000, 150_000].map((context) => ({ tools: [bash('true')], context })),
      ...[170_000, 30_000].map((context) => ({ text: 'Done.', context })),
    ],
    summary: () => SUMMARY,
  },
  hooks: CONTEXT_HOOK,
  asks: [{ subtype: 'apply_flag_settings', settings: { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: SETTING } } }],
  says: ['the long prompt'],
});

export const resumedAfterKill = playScene(
  { scenario: { calls: [{ text: 'the answer before' }, { text: 'the answer after' }] } },
  async (first, stage) => {
    const before = await first.turn('the prompt before');
    const second = await resume(stage, first);
    return { turns: [before, await second.turn('the prompt after')] };
  },
);

/** A result that an exact compaction omits, and a budget in tokens that is too small for it. */
export const OMITTED_LINE = 'line 2500 of what the tool said';
const BUDGET = 2_000;

export const compactedExactly = playScene(
  {
    scenario: {
      calls: [
        { tools: [bash('seq -f "line %g of what the tool said" 2000 2800')] },
        { text: 'the answer before' },
        { text: 'the answer after' },
      ],
      summary: () => SUMMARY,
    },
  },
  async (claude, stage) => {
    const mod = stage.makeModFolder();
    const before = await claude.turn('the prompt before');
    const loaded = await claude.ask({ subtype: 'reload_plugins', add_plugins: [{ type: 'local', path: mod.path }] });
    mod.plan({ version: 1, note: 'what the note says', budget: BUDGET });
    return {
      turns: [before, await claude.turn('/compact'), await claude.turn('the prompt after')],
      answers: [loaded],
    };
  },
);

function bash(command: string) {
  return { name: 'Bash', input: { command } };
}

function hookOutput(hook: HookName, fields: Fields): Fields {
  return { hookSpecificOutput: { hookEventName: hook, ...fields } };
}

const LOOK_EVERY_MS = 20;

/** Kills claude after it has logged the end of its turn, which takes a moment, and resumes its session. */
async function resume({ scratch, timeout, start }: Stage, first: Conversation) {
  const session = eventsOf(first.events, 'init').at(-1)?.sessionId;
  if (session === undefined) throw new Contradiction('no system/init line names the session');
  const isLogged = () => {
    const path = findSessionLog({ id: session }, scratch);
    return path !== undefined && readSessionLog(path).finished;
  };
  while (!isLogged()) {
    if (timeout.aborted) throw new Contradiction('there is no log of its answer');
    await delay(LOOK_EVERY_MS);
  }
  first.kill('SIGKILL');
  await first.ended();
  return start({ args: ['--resume', session] });
}
