import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { HOOK_EVENTS } from '../../src/hook/hook-events.ts';
import type { Call } from '../../src/standin/scenario.ts';
import { startWorld, type World } from '../support/claude.ts';
import { INPUTS_FILE, kindOfInput, recordedInputs } from '../support/hook-inputs.ts';
import { interactiveClaude, say, settleIn } from '../support/interactive.ts';
import { inSoak } from '../support/size.ts';
import { bash } from '../support/tool-agents.ts';

type Fields = Readonly<Record<string, unknown>>;

const TURNS: readonly Call[][] = [
  [{ tools: [bash('echo one')], context: 30_000 }, { tools: [bash('false')] }, { text: 'It is counted.' }],
  [{ text: 'Nothing to do.', context: 40_000 }],
  // Above claude's own trigger: it compacts before the next call.
  [
    { tools: [bash('echo full')], context: 985_000 },
    { text: 'It was full.', context: 30_000 },
  ],
];
const UNASKED = ['--dangerously-skip-permissions'];
const poll = <T>(look: () => T) => expect.poll(look, { timeout: 60_000 });

/** What each hook and the status line were given, in order, in files of a folder. */
function listen({ scratch: { cwd, home } }: World): () => Fields[] {
  const folder = join(home, 'inputs');
  mkdirSync(folder);
  mkdirSync(join(cwd, '.claude'));
  const keep = (kind: string) => `f="${folder}/$(date +%s%N)-$$.${kind}"; cat > "$f.part" && mv "$f.part" "$f"`;
  const hook = [{ hooks: [{ type: 'command', command: keep('hook') }] }];
  const settings = {
    hooks: Object.fromEntries(Object.keys(HOOK_EVENTS).map((name) => [name, hook])),
    statusLine: { type: 'command', command: keep('status') },
  };
  writeFileSync(join(cwd, '.claude', 'settings.local.json'), JSON.stringify(settings));
  return () => {
    const names = readdirSync(folder).filter((name) => !name.endsWith('.part'));
    return names.sort().map((name) => {
      const fields = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Fields;
      return name.endsWith('.status') ? { ...fields, hook_event_name: 'status line', source: moment(fields) } : fields;
    });
  };
}

/** Of a context without a call in it claude says nothing; 2.1.197 shows zeros behind a compaction. */
function moment({ context_window: context }: Fields): string {
  return (context as Fields).current_usage ? 'turn' : 'empty';
}

/** All of the shape, and nothing of the machine or of the day. */
function neutral(inputs: readonly Fields[], { scratch: { cwd, env } }: World): Record<string, Fields> {
  const folded = cwd.replaceAll('/', '-');
  const config = String(env.CLAUDE_CONFIG_DIR);
  const ids: string[] = [];
  const text = (value: string) =>
    value
      .replaceAll(config, '/home/me/.claude')
      .replaceAll(folded, '-project')
      .replaceAll(cwd, '/project')
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
        if (!ids.includes(id)) ids.push(id);
        return `00000000-0000-4000-8000-${String(ids.indexOf(id) + 1).padStart(12, '0')}`;
      });
  const kinds = new Map(inputs.map((fields) => [kindOfInput(fields), fields]));
  const sorted = [...kinds]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, fields]) => {
      const { source, hook_event_name, ...status } = fields;
      return [kind, hook_event_name === 'status line' ? status : fields];
    });
  return JSON.parse(JSON.stringify(Object.fromEntries(sorted)), (_, value) =>
    typeof value === 'string' ? text(value) : value,
  );
}

/** A busy claude begins and ends a session before it has a title for it, or a prompt; an empty context may follow some. */
const isLate = (kind: string, field: string) =>
  /^session_(?:title|name)$/.test(field) ||
  (field === 'prompt_id' && kind.startsWith('Session')) ||
  (/^prompt_(?:id|cache)$/.test(field) && kind === 'status line empty');

/** Names of its fields, which is what is relied on. */
function shapes(inputs: Readonly<Record<string, Fields>>) {
  const fieldsOf = ([kind, fields]: [string, Fields]) => [
    kind,
    Object.keys(fields)
      .filter((field) => !isLate(kind, field))
      .sort(),
  ];
  return Object.fromEntries(Object.entries(inputs).map(fieldsOf));
}

inSoak('hooks and status line are given what is recorded of the newest claude', { timeout: 240_000 }, async () => {
  const calls = TURNS.flat();
  await using world = await startWorld({ calls, summary: { text: '<summary>All done.</summary>' } });
  settleIn(world);
  const heard = listen(world);
  const kinds = () => heard().map(kindOfInput);
  const times = (kind: string) => kinds().filter((other) => other === kind).length;

  {
    await using claude = interactiveClaude(world, UNASKED);
    await claude.shows(/bypasspermissions/);
    await say(claude, 'count');
    await poll(() => times('Stop')).toBe(1);
    await say(claude, '/clear ');
    await poll(kinds).toContain('SessionStart clear');
    await say(claude, 'and now');
    await poll(() => times('Stop')).toBe(2);
    await say(claude, '/compact ');
    await poll(kinds).toContain('PostCompact manual');
    await say(claude, 'fill it');
    await poll(() => times('Stop')).toBe(3);
    await say(claude, '/branch ');
    await poll(kinds).toContain('SessionStart fork');
    await say(claude, '/exit ');
    await claude.ended;
  }
  {
    await using claude = interactiveClaude(world, [...UNASKED, '--continue']);
    await poll(kinds).toContain('SessionStart resume');
    await claude.shows(/bypasspermissions/);
  }
  // The window is closed.
  await poll(kinds).toContain('SessionEnd other');
  {
    // Last, as nothing of the person is known any more then.
    await using claude = interactiveClaude(world, UNASKED);
    await poll(() => times('SessionStart startup')).toBe(2);
    await claude.shows(/bypasspermissions/);
    await say(claude, '/logout ');
    await poll(kinds).toContain('SessionEnd logout');
  }
  const inputs = neutral(heard(), world);
  if (process.env.CTXB_RECORD_INPUTS) writeFileSync(INPUTS_FILE, `${JSON.stringify(inputs, null, 1)}\n`);
  expect(shapes(inputs)).toEqual(shapes(recordedInputs()));
});
