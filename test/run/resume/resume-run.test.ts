import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectLogs } from '../../../src/claude/claude-folders.ts';
import { renderHandoffFile } from '../../../src/core/memory/handoff/handoff-file.ts';
import { parseFields } from '../../../src/core/protocol/fields.ts';
import type { Io } from '../../../src/io.ts';
import { resumeRun, untilReset } from '../../../src/run/resume/resume-run.ts';
import { processMark } from '../../../src/store/files/process-mark.ts';
import { readLines } from '../../../src/store/files/read-lines.ts';
import { openSeal } from '../../../src/store/runs/seal.ts';
import { createSessionStore, hasRunFile } from '../../../src/store/runs/session-store.ts';

/** Of a process that cannot be there. */
const GONE = { pid: 2 ** 30, start: '1' };
const RUN = '11111111-1111-4111-8111-111111111111';
const NEXT = '22222222-2222-4222-8222-222222222222';
const DOCUMENT = '.context/handoffs/handoff.md';

let root: string;
let io: Pick<Io, 'cwd' | 'env'>;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-resume-'));
  io = { cwd: root, env: { CLAUDE_CONFIG_DIR: join(root, 'claude'), XDG_STATE_HOME: join(root, 'state') } };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const contextDir = () => join(root, '.context');

function storeOf(runId: string) {
  const onFault = (_: string, error: unknown) => {
    throw error;
  };
  const seal = openSeal(join(root, 'state', 'ctxb'));
  return createSessionStore(contextDir(), runId, onFault, seal);
}

const line = (uuid: string) => JSON.stringify({ type: 'user', uuid, message: { role: 'user', content: uuid } });

const kept = (uuid: string) => ({ uuid, line: line(uuid), fate: 'waiting' });
const BEGUN = {
  settings: { values: [], withheld: [] },
  spent: { settled: 0, open: 0, raised: {}, agents: 0, lost: 0, claimed: 0, at: 0, computed: 0 },
  figures: {
    models: {},
    at: 0,
    turn: { steps: 0, pending: 0, hasParts: false, parts: {} },
    times: { begun: 0, last: 0 },
  },
};
const over = (uuid: string) => ({ prompts: [{ uuid, fate: 'over' }] });

/** A run of two prompts, of which the first was answered in session `full`. */
function begin(runId = RUN, more: object = {}) {
  const store = storeOf(runId);
  store.run({ words: ['claude', '-p'], prompts: [kept('one'), kept('two')], ...BEGUN });
  store.journal({ kind: 'start', runId, claude: GONE, ctxb: GONE, ...more });
  store.run(over('one'));
  return store;
}

type Row = Readonly<Record<string, unknown>>;
const said = (uuid: string): Row => ({ type: 'user', uuid, message: { role: 'user', content: `say ${uuid}` } });
const answer: Row = {
  type: 'assistant',
  message: { id: 'm', model: 'claude', content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' },
};
const cleared = (uuid: string): Row[] => [
  { ...said('caveat'), isMeta: true },
  { type: 'user', uuid, message: { role: 'user', content: '<command-name>/clear</command-name>' } },
];

function log(id: string, ...rows: readonly Row[]): void {
  const folder = projectLogs({ env: io.env, cwd: root });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${id}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** The document that session `full` was left with. */
function writeDocument(): void {
  const head = { version: 1, t: 0, session: 'full', reason: 'full', by: 'agent', tokens: 1, window: 2 } as const;
  mkdirSync(join(contextDir(), 'handoffs'), { recursive: true });
  writeFileSync(join(root, DOCUMENT), renderHandoffFile({ ...head, checks: [] }, 'All that is known.'));
}

interface Moment {
  readonly name: string;
  /** What was there when all were killed, after the document was written. */
  readonly at: (store: ReturnType<typeof storeOf>) => void;
  /** Where the work goes on: in a session, or in a fresh one with the document. */
  readonly in: string;
  readonly says?: readonly string[];
}

const session = (id: string) => ({ kind: 'session', runId: RUN, id });

it.each<Moment>([
  { name: 'the document is written', at: () => {}, in: 'full' },
  { name: 'the fresh session has a name and no log', at: (store) => store.journal(session('fresh')), in: 'full' },
  {
    name: 'the fresh session was cleared, and not yet given the document',
    at: (store) => {
      store.journal(session('fresh'));
      log('fresh', ...cleared('own'));
    },
    in: 'full',
  },
  {
    name: 'the caller himself has cleared it',
    at: (store) => {
      store.run({ prompts: [{ ...kept('clear'), fate: 'sent' }] });
      store.run(over('clear'));
      store.journal(session('fresh'));
      log('fresh', ...cleared('clear'));
    },
    in: 'fresh',
  },
  { name: 'it is handed over, in a process without a name', at: handOver, in: DOCUMENT },
  {
    name: 'it is handed over, and a prompt is said that claude has not logged',
    at: (store) => {
      handOver(store);
      store.run({ prompts: [{ ...kept('two'), fate: 'sent' }] });
      store.journal(session('fresh'));
    },
    in: DOCUMENT,
  },
  {
    name: 'it is handed over by /clear',
    at: (store) => {
      store.journal(session('fresh'));
      log('fresh', ...cleared('own'));
      handOver(store);
    },
    in: DOCUMENT,
  },
  {
    name: 'it is handed over, and the fresh session has heard a prompt',
    at: (store) => {
      handOver(store);
      store.journal(session('fresh'));
      log('fresh', said('two'));
    },
    in: 'fresh',
    says: [],
  },
  {
    name: 'it is handed over, and the full session owes an answer, which only that knows',
    at: (store) => {
      log('full', said('one'), answer, said('two'), answer);
      handOver(store);
    },
    in: 'full',
    says: [],
  },
])('continues from the last state: $name', async ({ at, in: place, says = ['two'] }) => {
  const store = begin();
  store.journal(session('full'));
  log('full', said('one'), answer);
  writeDocument();
  at(store);
  const { resumed } = (await resumeRun({ contextDir: contextDir(), id: undefined, words: [] }, io, () => {})) ?? {};
  expect(resumed?.sessionId ?? resumed?.document?.path).toBe(place);
  if (place === DOCUMENT)
    expect(resumed?.document?.text).toMatch(/^The context before this one was full.*\n\nAll that/);
  expect(resumed?.prompts.filter(({ fate }) => fate === 'waiting')).toEqual(says.map(kept));
});

function handOver(store: ReturnType<typeof storeOf>): void {
  store.run({ handedOver: DOCUMENT });
}

it('resumes a run that had itself resumed another one, whose files may still exist', async () => {
  begin();
  const next = begin(NEXT, { resumes: RUN });
  const take = () => resumeRun({ contextDir: contextDir(), id: undefined, words: [] }, io, () => {});
  expect((await take())?.resumed.runId).toBe(NEXT);
  next.journal({ kind: 'end', runId: NEXT });
  next.forgetRun();
  await expect(take()).rejects.toThrow('no unfinished run');
});

it.each([undefined, RUN.slice(0, 8)])('names the journal as missing if only that was deleted (id %s)', async (id) => {
  begin();
  rmSync(join(contextDir(), 'journal.ndjson'));
  const taken = resumeRun({ contextDir: contextDir(), id, words: [] }, io, () => {});
  await expect(taken).rejects.toThrow(
    `run ${RUN} is unfinished, but ${join(contextDir(), 'journal.ndjson')} no longer names its processes and sessions`,
  );
});

it('resumes the run before one that had not started', async () => {
  begin();
  storeOf(NEXT).run({ words: ['claude', '-p'], prompts: [kept('two')], ...BEGUN });
  const resumption = await resumeRun({ contextDir: contextDir(), id: undefined, words: [] }, io, () => {});
  expect(resumption?.resumed.runId).toBe(RUN);
});

const takeNewest = () => resumeRun({ contextDir: contextDir(), id: undefined, words: [] }, io, () => {});
/** A process that lives for longer than this test. */
const OTHER = processMark(process.ppid);
const OWN = processMark(process.pid);

it('lets the first of two processes resume a run', async () => {
  const claim = (runId: string, ctxb: object) => storeOf(runId).journal({ kind: 'start', runId, claude: GONE, ctxb });
  begin();
  claim(RUN, OWN);
  claim(RUN, OTHER);
  expect((await takeNewest())?.resumed.runId).toBe(RUN);
  begin(NEXT);
  claim(NEXT, OTHER);
  claim(NEXT, OWN);
  await expect(takeNewest()).rejects.toThrow(`run ${NEXT} is still active`);
});

it('does not repeat a prompt that claude joined with a later one, under whose uuid alone it is logged', async () => {
  const store = begin();
  store.journal(session('full'));
  for (const uuid of ['two', 'three']) store.run({ prompts: [{ ...kept(uuid), fate: 'sent' }] });
  log('full', said('one'), answer, said('three'));
  expect((await takeNewest())?.resumed.prompts).toEqual(
    ['two', 'three'].map((uuid) => ({ ...kept(uuid), fate: 'owed' })),
  );
});

it('refuses a run that another process is resuming', async () => {
  begin();
  await takeNewest();
  expect([...readLines(join(contextDir(), 'journal.ndjson'))].map(parseFields).at(-1)).toMatchObject({
    kind: 'start',
    runId: RUN,
    claude: GONE,
    ctxb: OWN,
  });
});

it('removes a run whose prompts are all answered, and resumes the previous one next', async () => {
  begin();
  const next = begin(NEXT);
  next.run(over('two'));
  expect(await takeNewest()).toBeUndefined();
  expect(hasRunFile(contextDir(), NEXT)).toBe(false);
  expect((await takeNewest())?.resumed.runId).toBe(RUN);
});

it('reports a run without prompts once, and resumes the previous one next', async () => {
  begin();
  const next = storeOf(NEXT);
  next.run({ words: ['claude', '-p'], prompts: [] });
  next.journal({ kind: 'start', runId: NEXT, claude: GONE, ctxb: GONE });
  await expect(takeNewest()).rejects.toThrow(`nothing of run ${NEXT} is left to do`);
  expect((await takeNewest())?.resumed.runId).toBe(RUN);
});

it('skips a completed run that a full disk kept from recording its end', async () => {
  begin();
  storeOf(NEXT).journal({ kind: 'start', runId: NEXT, claude: GONE, ctxb: GONE });
  expect((await takeNewest())?.resumed.runId).toBe(RUN);
});

it('waits for the run that was the newest when the wait began', async () => {
  begin().run({ resetsAt: Date.now() + 50 });
  const onWait = () => void begin(NEXT);
  const waited = await untilReset({ contextDir: contextDir(), id: undefined }, io, { notice() {}, onWait });
  expect(waited).toEqual({ runId: RUN, stopped: undefined });
});
