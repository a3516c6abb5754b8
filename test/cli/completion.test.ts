import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/claude.ts';
import { installCtxb } from '../support/ctxb.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/** What each shell is to offer for a line that ends where the cursor is. */
const LINES = [
  { line: 'ctxb ', offers: ['run', 'replay', 'flow', 'doctor', 'completion', 'help'], not: ['--json', 'report'] },
  { line: 'ctxb s', offers: ['scratch', 'shim', 'statusline'], not: ['run'] },
  { line: 'ctxb co', offers: ['config', 'completion'], not: ['run'] },
  { line: 'ctxb --', offers: ['--help', '--version'], not: ['run', '--json'] },
  { line: 'ctxb run --st', offers: ['--strategy', '--state', '--status-line'], not: ['--prompt'] },
  { line: 'ctxb run --strategy ', offers: ['compact', 'handoff'], not: ['auto', 'notes.yaml', '--prompt'] },
  { line: 'ctxb run --strategy handoff --on-large-task re', offers: ['relieve', 'reject'], not: ['announce'] },
  { line: 'ctxb flow ', offers: ['run', 'explain', 'report', 'studio'], not: ['replay'] },
  { line: 'ctxb flow run no', offers: ['notes.yaml'], not: ['run'] },
  { line: 'ctxb flow run --res', offers: ['--resume'], not: ['--html'] },
  { line: 'ctxb replay no', offers: ['notes.yaml'], not: [] },
  { line: 'ctxb scratch --out no', offers: ['notes'], not: ['--json'] },
  { line: 'ctxb completion ', offers: ['bash', 'zsh', 'fish'], not: ['notes.yaml'] },
  { line: 'ctxb help no', offers: ['note'], not: ['run'] },
  { line: 'ctxb cleanup --keep ', offers: ['notes.yaml'], not: ['--context-dir'] },
  { line: 'ctxb run -- env no', offers: ['notes.yaml'], not: [] },
] as const;

/**
 * Programs that print a line of each offer. bash and zsh complete for a terminal only: there the functions of the shell
 * that talk to it are replaced, and the rest is real.
 */
const SHELLS: Readonly<Record<string, (script: string, line: string) => string>> = {
  bash: (script, line) => `
    source '${script}'
    read -ra COMP_WORDS <<< '${line}'
    [[ '${line}' == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    "$(complete -p ctxb | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
    [[ \${#COMPREPLY[@]} == 0 ]] && mapfile -t COMPREPLY < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script, line) => `
    compdef() { :; }
    compset() { :; }
    _offer() { local each; for each in "$@"; do [[ $each == \${words[CURRENT]}* ]] && print -r -- $each; done }
    compadd() { shift; _offer "$@"; }
    _describe() { _offer \${\${(@P)2}%%:*}; }
    _files() { local -a found; found=(\${words[CURRENT]}*(N)); print -rl -- $found; }
    source '${script}'
    words=(\${=:-${line}}); [[ '${line}' == *' ' ]] && words+=('')
    CURRENT=$#words
    _ctxb`,
  fish: (script, line) => `source '${script}'; complete -C '${line}' | string split -f 1 \\t`,
};

async function placeWithScript(shell: string): Promise<Place> {
  const place = await createPlace();
  const { stdout, code, stderr } = await ctxb(place, ['completion', shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await place.file('script', stdout);
  await place.file('notes.yaml', '');
  for (const folder of ['notes', 'programs']) await mkdir(place.path(folder));
  installCtxb(place.path('programs'));
  const env = { ...place.env, PATH: `${place.path('programs')}:${place.env.PATH}` };
  return { ...place, env };
}

describe.each(Object.entries(SHELLS).map(([shell, program]) => ({ shell, program })))(
  '$shell',
  ({ shell, program }) => {
    it.skipIf(!isInstalled(shell))('offers commands, options, choices, files and folders', async () => {
      await using place = await placeWithScript(shell);
      for (const { line, offers, not } of LINES) {
        const run = await runProgram(shell, ['-c', program(place.path('script'), line)], place);
        const offered = run.stdout
          .toString()
          .split('\n')
          .map((each) => each.replace(/\/$/, ''));
        expect({ line, stderr: run.stderr, offered }).toEqual({
          line,
          stderr: '',
          offered: expect.arrayContaining([...offers]),
        });
        for (const each of not)
          expect({ line, offered }).not.toEqual({ line, offered: expect.arrayContaining([each]) });
      }
    });
  },
);

/** `script` gives a shell a terminal; of its forms the one of Linux is used. */
const TERMINALS = [
  { shell: 'bash', start: 'bash --norc --noprofile -i', first: '' },
  { shell: 'zsh', start: 'zsh -f -i', first: 'autoload -U compinit; compinit -u -d ./dump; ' },
].filter(({ shell }) => process.platform === 'linux' && isInstalled('script') && isInstalled(shell));

it.each(TERMINALS)('the script completes in a real $shell', async ({ shell, start, first }) => {
  await using place = await placeWithScript(shell);
  // The keys, as a terminal sends them; what is completed is echoed by a command that prints its arguments.
  await place.file('keys', `${first}source ./script; ctxb() { printf '<%s>' "$@"; }\nctxb run --strat\thand\t\nexit\n`);
  const run = await runProgram('sh', ['-c', `script -qec "${start}" /dev/null < keys`], {
    ...place,
    env: { ...place.env, TERM: 'dumb' },
  });
  expect(run.stdout.toString()).toContain('<run><--strategy><handoff>');
});

it('refuses an unknown shell, and names the known ones', async () => {
  await using place = await createPlace();
  const run = await ctxb(place, ['completion', 'fsh']);
  expect(run.stderr).toContain('bash, zsh, fish');
  expect(run).toMatchObject({ code: 2 });
});
