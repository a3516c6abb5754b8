import { appendFileSync, copyFileSync, readFileSync, truncateSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createPlace, ctxb, type Place } from './fakes.ts';

const fixture = (path: string) => fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url));

const STATUS = JSON.parse(readFileSync(fixture('terminal/status-turn.json'), 'utf8')) as Record<string, unknown>;

/** claude's status for a session whose log is in the place. */
function status(place: Place, changes: object = {}): string {
  const workspace = { project_dir: place.cwd };
  return JSON.stringify({ ...STATUS, workspace, transcript_path: place.path('log.jsonl'), ...changes });
}

const show = (place: Place, stdin: string, env: Readonly<Record<string, string>> = { NO_COLOR: '1' }) =>
  ctxb(place, ['statusline'], { stdin, env: { COLUMNS: '120', ...env } });

const NO_CALL = { context_window: { context_window_size: 200_000, current_usage: null } };

describe('ctxb statusline', () => {
  it("shows what the session's log says, in colors", async () => {
    await using place = await createPlace();
    copyFileSync(fixture('recordings/crossing.session.jsonl'), place.path('log.jsonl'));
    const run = await show(place, status(place, NO_CALL), {});
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString()).toContain('\u001b[31mhandoff\u001b[39m · 163,0');
    expect(run.stdout.toString()).toContain('/200,000 measured');
    expect(run.stdout.toString()).toMatch(/\$0\.17 this session\n$/);
  });

  it('reads only the end of a log of 100 MB', async () => {
    await using place = await createPlace();
    const log = place.path('log.jsonl');
    await place.file('log.jsonl', '');
    // A hole takes no room on the disk, and whoever reads it all takes long.
    truncateSync(log, 100 * 1024 * 1024);
    appendFileSync(log, `\n${readFileSync(fixture('recordings/crossing.session.jsonl'), 'utf8')}`);
    const run = await show(place, status(place, NO_CALL));
    expect(run.stdout.toString()).toContain('handoff · 163,0');
  });

  it('reads further back if the last lines are long', async () => {
    await using place = await createPlace();
    const calls = readFileSync(fixture('recordings/crossing.session.jsonl'), 'utf8');
    const long = JSON.stringify({ type: 'progress', text: 'x'.repeat(700_000) });
    await place.file('log.jsonl', `${calls}${long}\n`);
    expect((await show(place, status(place, NO_CALL))).stdout.toString()).toContain('handoff · 163,0');
  });

  it('judges by the configuration of the project', async () => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc.json', '{"thresholds":{"warn":0.2}}');
    expect((await show(place, status(place))).stdout.toString()).toContain('26% · critical');
  });

  it.each([
    { name: 'a configuration with a fault', config: '{"thresholds":{"wran":0.2}}', said: /26% · ok .*did you mean/ },
    { name: 'a fault beside a valid value', config: '{"thresholds":{"warn":0.2},"zones":7}', said: /26% · ok .*zones/ },
    { name: 'one that is not JSON', config: '{"thresholds"', said: /26% · ok .*json:1:14: .*correct the file/ },
  ])('continues with defaults for $name', async ({ config, said }) => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc.json', config);
    const run = await show(place, status(place));
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString()).toMatch(said);
  });

  it.each([
    { name: 'nothing', stdin: '' },
    { name: 'half an object', stdin: '{"session_id":"' },
    { name: 'something else', stdin: '7' },
  ])('names a remedy for $name on stdin', async ({ stdin }) => {
    await using place = await createPlace();
    const run = await show(place, stdin);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString()).toMatch(/^ctxb: no session on stdin: name .* settings.json\n$/);
  });

  it("reports an unreadable log, and shows claude's figures", async () => {
    await using place = await createPlace();
    const run = await show(place, status(place, { transcript_path: place.cwd }));
    expect(run.code).toBe(0);
    expect(run.stdout.toString()).toMatch(
      /52,009\/200,000 measured .*ctxb: the session's log cannot be read: expected a file, found a folder/,
    );
  });

  it('removes control sequences from its line', async () => {
    await using place = await createPlace();
    const run = await show(place, status(place, { transcript_path: '/\u001b]0;title\u0007/\u0000' }));
    expect(run.stdout.toString()).not.toMatch(/[\u0000\u0007\u001b]/);
  });

  it('fits narrow terminals', async () => {
    await using place = await createPlace();
    expect((await show(place, status(place), { COLUMNS: '20', NO_COLOR: '1' })).stdout.toString()).toBe(
      '26% · ok · $0.17\n',
    );
  });
});
