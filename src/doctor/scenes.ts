import { setTimeout as delay } from 'node:timers/promises';
import { findSessionLog } from '../claude/claude-folders.ts';
import { readSessionLog } from '../claude/claude-log.ts';
import { CALLBACKS } from '../core/governor/control/hook-callbacks.ts';
import type { HookName } from '../core/governor/effects.ts';
import { NATIVE_RESERVE_TOKENS } from '../core/governor/policy.ts';
import type { Fields } from '../core/protocol/fields.ts';
import { Contradiction, eventsOf, type Scene } from './check.ts';
import type { Stage } from './stage.ts';

export const CONTEXTS_OF_FIRST_TURN = [31_000, 42_000, 53_000] as const;

export const plainTurns: Scene = {
  scenario: {
    calls: [
      { thinking: 'a thought', text: 'a word', tools: [bash('true')], context: CONTEXTS_OF_FIRST_TURN[0] },
      { tools: [bash('true')], context: CONTEXTS_OF_FIRST_TURN[1] },
      { text: 'the first answer', context: CONTEXTS_OF_FIRST_TURN[2] },
      { text: 'the second answer', context: 54_000 },
    ],
  },
  play: (claude) => claude.say('the first prompt', 'the second prompt'),
};

export const askedAtTheStart: Scene = {
  scenario: { calls: [] },
  hooks: { PreCompact: () => ({}), SessionStart: () => ({}) },
  play: (claude) => claude.ask('get_context_usage', { detail: 'summary' }),
};

const HOOKS = Object.keys(CALLBACKS) as HookName[];

export const failingHooks: Scene = {
  scenario: {
    calls: [
      { tools: [bash('printf %s%s printed -by-the-tool'), bash('exit 3')] },
      { text: 'the answer', context: 100_000 },
      { text: 'the answer after' },
    ],
    summary: () => SUMMARY,
  },
  hooks: Object.fromEntries(HOOKS.map((name) => [name, () => undefined])),
  play: (claude) => claude.say('the prompt', '/compact', 'the prompt after'),
};

const SUMMARY = { text: '<summary>what the summary says</summary>' };

const CONTEXT_HOOK = {
  SessionStart: ({ source }: Fields) => hookOutput('SessionStart', { additionalContext: `added on ${source}` }),
};

export const toolCompactAndClear: Scene = {
  scenario: {
    calls: [
      { tools: [bash('printf %s to-be-replaced')], context: 90_000 },
      { text: 'Done.', context: 100_000 },
      { text: 'after compact' },
      { text: 'after clear' },
    ],
    summary: () => SUMMARY,
  },
  hooks: {
    ...CONTEXT_HOOK,
    PostToolUse: ({ tool_response: report }) =>
      hookOutput('PostToolUse', {
        updatedToolOutput: { ...Object(report), stdout: 'made by the hook' },
        additionalContext: 'added after the tool',
      }),
  },
  play: (claude) =>
    claude.say(
      'the prompt before',
      '/compact focus on the parser',
      'the prompt after compact',
      '/clear',
      'the prompt after clear',
    ),
};

export const TRIGGER = 120_000;
const SETTING = String(TRIGGER + NATIVE_RESERVE_TOKENS);

export const movedTrigger: Scene = {
  scenario: {
    calls: [
      ...[90_000, 110_000, 130_000, 150_000].map((context) => ({ tools: [bash('true')], context })),
      ...[170_000, 30_000].map((context) => ({ text: 'Done.', context })),
    ],
    summary: () => SUMMARY,
  },
  hooks: CONTEXT_HOOK,
  async play(claude) {
    await claude.ask('apply_flag_settings', { settings: { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: SETTING } } });
    await claude.say('the long prompt');
  },
};

export const resumedAfterKill: Scene = {
  scenario: { calls: [{ text: 'the answer before' }, { text: 'the answer after' }] },
  async play(claude, stage) {
    await claude.say('the prompt before');
    const id = eventsOf(stage.heard.turns.flat(), 'init').at(-1)?.sessionId;
    if (id === undefined) throw new Contradiction('no system/init line names the session');
    await awaitLog(id, stage);
    await claude.kill();
    const resumed = await stage.start(['--resume', id]);
    await resumed.say('the prompt after');
  },
};

/** A result that an exact compaction omits, and a budget in tokens that is too small for it. */
export const OMITTED_LINE = 'line 2500 of what the tool said';
const BUDGET = 2_000;

export const compactedExactly: Scene = {
  scenario: {
    calls: [
      { tools: [bash('seq -f "line %g of what the tool said" 2000 2800')] },
      { text: 'the answer before' },
      { text: 'the answer after' },
    ],
    summary: () => SUMMARY,
  },
  async play(claude, stage) {
    const mod = stage.makeModFolder();
    mod.plan({ version: 1, note: 'what the note says', budget: BUDGET });
    await claude.say('the prompt before');
    await claude.ask('reload_plugins', { add_plugins: [{ type: 'local', path: mod.path }] });
    await claude.say('/compact', 'the prompt after');
  },
};

function bash(command: string) {
  return { name: 'Bash', input: { command } };
}

function hookOutput(hook: HookName, fields: Fields): Fields {
  return { hookSpecificOutput: { hookEventName: hook, ...fields } };
}

const POLL_INTERVAL_MS = 20;

/** Waits until claude has logged the end of a turn. */
async function awaitLog(id: string, { scratch, timeout }: Stage): Promise<void> {
  const isLogged = () => {
    const path = findSessionLog({ id }, scratch);
    return path !== undefined && readSessionLog(path).finished;
  };
  while (!isLogged()) {
    if (timeout.aborted) throw new Contradiction('there is no log of its answer');
    await delay(POLL_INTERVAL_MS);
  }
}
