import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startProgram } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import { startStudio, studioFolder } from '../support/studio.ts';
import { createPlace, ctxb } from './fakes.ts';

const FLOW = 'name: job\nsteps: [{id: one, objective: first}]\n';

describe('ctxb flow studio', () => {
  it('shows the budgets that the configuration sets for all flows', async () => {
    const folder = studioFolder(FLOW);
    writeFileSync(join(folder.path, '.contextbudgetrc.json'), '{"flow":{"preset":"heavy"}}');
    const studio = await startStudio(folder);
    const page = await (await fetch(studio.url)).text();
    expect(await studio.end()).toBe(0);
    folder.remove();
    expect(page).toContain('400,000 used, from preset heavy (global)');
  });

  it('gives the browser a private file with the address, so that no other user gets the token', async () => {
    await using place = await createPlace();
    await place.file('job.yaml', FLOW);
    const opener = `#!/bin/sh\nstat -c %a "$1" > mode; cp "$1" page; printf '%s' "$*" > new; mv new words\n`;
    for (const name of ['xdg-open', 'open']) writeFileSync(place.path(name), opener, { mode: 0o755 });
    const env = { ...place.env, PATH: `${place.cwd}:${place.env.PATH}` };
    const studio = startProgram(process.execPath, [CTXB, 'flow', 'studio', 'job.yaml'], { env, cwd: place.cwd });
    await vi.waitFor(() => expect(existsSync(place.path('words'))).toBe(true), { timeout: 20_000 });
    studio.kill('SIGINT');
    const { code, stdout } = await studio.finished;
    const [url = 'none', token = 'none'] = /http:\/\/127\.0\.0\.1:\d+\/([^/\s]+)\//.exec(stdout.toString()) ?? [];
    const words = readFileSync(place.path('words'), 'utf8');
    expect(words).not.toContain(token);
    expect(readFileSync(place.path('page'), 'utf8')).toContain(`url=${url}`);
    expect(readFileSync(place.path('mode'), 'utf8')).toBe('600\n');
    expect(code).toBe(0);
    expect(existsSync(words)).toBe(false);
  });

  it('reports all faults of a flow and serves nothing', async () => {
    await using place = await createPlace();
    await place.file('job.yaml', 'name: a b\nsteps: [{id: one}]\n');
    const run = await ctxb(place, ['flow', 'studio', 'job.yaml', '--no-open']);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.from('') });
    expect(run.stderr).toContain('ctxb: name: expected');
    expect(run.stderr).toContain('ctxb: steps[0]: expected');
  });

  it('refuses a symbolic link', async () => {
    await using place = await createPlace();
    symlinkSync(await place.file('job.yaml', FLOW), join(place.cwd, 'link.yaml'));
    const run = await ctxb(place, ['flow', 'studio', 'link.yaml', '--no-open']);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.from('') });
    expect(run.stderr).toContain('link.yaml is a symbolic link: name the file itself');
  });
});
