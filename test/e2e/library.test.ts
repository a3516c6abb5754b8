import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import {
  type Action,
  createGovernor,
  type Decision,
  type HookAnswer,
  type Input,
  isDecision,
  type PolicyOptions,
  type RecordLine,
  type TimerName,
} from '../../src/index.ts';
import { promptLine, startWorld, type World } from '../support/claude.ts';
import { conversation, mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import { PROTOCOL, SMALL_WINDOW } from '../support/ctxb.ts';

/** What a small program can do without: then few kinds of actions are left. */
const SIMPLE: PolicyOptions = {
  handoff: { enabled: false },
  recovery: { enabled: false },
  memory: { enabled: false },
  tools: { mode: 'off' },
};

const PROMPTS = ['prompt one', 'prompt two', 'prompt three', 'prompt four'];

it('a program that carries out the actions of the governor warns and compacts a real claude', async () => {
  await using world = await startWorld(conversation({ turns: [4, 4, 3, 2], growBy: 18_000 }));
  const { decisions, zones } = await drive(world, PROMPTS);
  expect(decisions.map(nameOf)).toEqual(['mid-turn:trigger', 'warn', 'compact', 'compacted', 'landed']);
  expect(decisions).toContainEqual(expect.objectContaining({ kind: 'compacted', verdict: 'success' }));
  expect(summaryRequests(world.standin)).toHaveLength(1);
  const heard = mainRequests(world.standin).map((request) => userTexts(request).join());
  for (const prompt of PROMPTS) expect(heard.some((texts) => texts.includes(prompt))).toBe(true);
  expect(zones).toEqual(['monitor', 'warning', 'critical', 'ok', 'monitor', 'warning']);
});

/** All that is needed to drive a claude. */
async function drive({ claude, scratch }: World, prompts: readonly string[]) {
  const governor = createGovernor({ policy: SIMPLE, mode: 'act', callerSpeaksProtocol: false, project: scratch.cwd });
  const child = spawn(claude, [...SMALL_WINDOW, ...PROTOCOL], { ...scratch, stdio: ['pipe', 'pipe', 'inherit'] });
  const timers = new Map<TimerName, NodeJS.Timeout>();
  const decisions: Decision[] = [];
  const zones: string[] = [];

  const tell = (input: Input | RecordLine) => {
    for (const action of governor.step(input).actions) carryOut(action);
  };

  function carryOut(action: Action): void {
    if (isDecision(action)) decisions.push(action);
    else if (action.kind === 'send') child.stdin.write(`${action.line.trimEnd()}\n`);
    else if (action.kind === 'answer-hook') child.stdin.write(answerTo(action));
    else if (action.kind === 'end-input') child.stdin.end();
    else if (action.kind === 'kill') child.kill('SIGKILL');
    else if (action.kind === 'clear-timer') clearTimeout(timers.get(action.timer));
    else if (action.kind === 'set-timer') timers.set(action.timer, setTimeout(ring, action.afterMs, action.timer));
  }

  const ring = (timer: TimerName) => tell({ t: Date.now(), from: 'timer', event: { kind: 'timeout', timer } });

  tell({ t: Date.now(), from: 'ctxb', event: { kind: 'begin' } });
  for (const prompt of prompts) tell({ t: Date.now(), from: 'caller', line: JSON.stringify(promptLine(prompt)) });
  tell({ t: Date.now(), from: 'caller', event: { kind: 'end' } });

  const zoneNow = () => governor.state.context.zone;
  for await (const line of createInterface({ input: child.stdout })) {
    const before = zoneNow();
    tell({ t: Date.now(), from: 'claude', line });
    if (zoneNow() !== before) zones.push(zoneNow());
  }
  if (child.exitCode === null) await once(child, 'exit');
  for (const timer of timers.values()) clearTimeout(timer);
  expect(child.exitCode).toBe(0);
  return { decisions, zones };
}

function answerTo({ requestId, hook, output, specific, context }: HookAnswer): string {
  const own = { hookEventName: hook, ...specific, ...(context && { additionalContext: context }) };
  const response = { ...output, ...(Object.keys(own).length > 1 && { hookSpecificOutput: own }) };
  return `${JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } })}\n`;
}
