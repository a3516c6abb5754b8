import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb } from './fakes.ts';

const RECORDINGS = [fixture('compact.ndjson'), fixture('crossing.session.jsonl')];

describe('ctxb replay --html', () => {
  it('writes no page for a file that is not a recording', async () => {
    await using place = await createPlace();
    const file = await place.file('notes.txt', 'All tests pass.\n');
    const run = await ctxb(place, ['replay', '--html', 'page.html', file]);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.from('') });
    expect(existsSync(place.path('page.html'))).toBe(false);
  });

  it('writes one file that loads nothing, beside the report', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', '--html', 'page.html', ...RECORDINGS]);
    const { stdout } = await ctxb(place, ['replay', ...RECORDINGS]);
    expect(run).toMatchObject({ code: 0, stdout, stderr: `ctxb: page: ${place.path('page.html')}\n` });
    const page = readFileSync(place.path('page.html'), 'utf8');
    expect(page).toMatch(
      /content="default-src 'none'; style-src 'sha256-[\w+/]+={0,2}'; script-src 'sha256-[\w+/]+={0,2}'; base-uri 'none'; form-action 'none'"/,
    );
    expect(page).not.toMatch(/<(?:link|img|iframe)\b|\bsrc=|url\(/);
    expect(page).toContain('crossing.session.jsonl');
    expect(statSync(place.path('page.html')).size).toBeLessThan(110_000);
  });

  it('prints the same report as without the page', async () => {
    await using place = await createPlace();
    const both = await ctxb(place, ['replay', '--json', '--html', 'page.html', ...RECORDINGS]);
    const { code, stdout } = await ctxb(place, ['replay', '--json', ...RECORDINGS]);
    expect(both).toMatchObject({ code, stdout });
  });

  it('replaces its own page and no other file', async () => {
    await using place = await createPlace();
    await ctxb(place, ['replay', '--html', 'page.html', fixture('compact.ndjson')]);
    expect(await ctxb(place, ['replay', '--html', 'page.html', ...RECORDINGS])).toMatchObject({ code: 0 });
    expect(readFileSync(place.path('page.html'), 'utf8')).toContain('crossing.session.jsonl');
    const mine = await place.file('mine.html', '<p>mine</p>');
    const refused = await ctxb(place, ['replay', '--html', 'mine.html', ...RECORDINGS]);
    // Before all the reading.
    expect(refused).toMatchObject({ code: 2, stdout: Buffer.from('') });
    expect(refused.stderr).toContain('mine.html exists already, and ctxb has not written it: name another file');
    expect(readFileSync(mine, 'utf8')).toBe('<p>mine</p>');
  });

  it('names a page that cannot be written', async () => {
    await using place = await createPlace();
    const { code, stderr } = await ctxb(place, ['replay', '--html', 'none/page.html', ...RECORDINGS]);
    const path = place.path('none/page.html');
    expect(code).toBe(2);
    expect(stderr.toString()).toBe(
      `ctxb: ${path} cannot be written (ENOENT: no such file or directory): name a file in a folder of yours\n`,
    );
  });
});
