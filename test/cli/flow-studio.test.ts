import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
    expect(page).toContain('contextBudgetChars  400,000  preset heavy (global)');
  });

  it('reports all faults of a flow and serves nothing', async () => {
    await using place = await createPlace();
    await place.file('job.yaml', 'name: a b\nsteps: [{id: one}]\n');
    const run = await ctxb(place, ['flow', 'studio', 'job.yaml']);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.from('') });
    expect(run.stderr).toContain('  name: expected');
    expect(run.stderr).toContain('  steps[0]: expected');
  });

  it('refuses a symbolic link', async () => {
    await using place = await createPlace();
    symlinkSync(await place.file('job.yaml', FLOW), join(place.cwd, 'link.yaml'));
    const run = await ctxb(place, ['flow', 'studio', 'link.yaml']);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.from('') });
    expect(run.stderr).toContain('link.yaml is a symbolic link: name the file itself');
  });
});
