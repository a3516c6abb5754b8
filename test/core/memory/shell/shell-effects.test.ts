import { describe, expect, it } from 'vitest';
import { shellEffects } from '../../../../src/core/memory/shell/shell-effects.ts';

/** Changes as `-deleted` and `from>to`. */
function changes(command: string): string[] {
  return (shellEffects(command).changes ?? []).map(({ path, change, to }) => {
    return change === 'moved' ? `${path}>${to ?? '?'}` : `-${path}`;
  });
}

describe('changes', () => {
  it.each([
    { command: 'rm a.ts', files: ['-a.ts'] },
    { command: 'rm -rf ./a b/../c/ "d e"', files: ['-a', '-c', '-d e'] },
    { command: 'rm -i a', files: [] },
    { command: 'rm $a *.ts "$(b)" c', files: ['-c'] },
    { command: 'git rm -q -r a && git rm --cached b', files: ['-a'] },
    { command: "git rm '*.ts'", files: [] },
    { command: 'mv a.ts b.ts', files: ['a.ts>b.ts'] },
    { command: 'mv a.ts b', files: ['a.ts>?'] },
    { command: 'mv a b c', files: [] },
    { command: 'mv -n a.ts b.ts', files: [] },
    { command: 'mv a.ts "$b"', files: [] },
    { command: 'git mv -f a.ts b.ts', files: ['a.ts>b.ts'] },
    { command: 'cp a.ts b.ts && touch c && echo a > d', files: [] },
  ])('$command', ({ command, files }) => {
    expect(changes(command)).toEqual(files);
  });
});

describe('what has certainly succeeded', () => {
  it.each([
    { command: 'rm a && rm b', files: ['-a', '-b'] },
    { command: 'rm a; rm b', files: ['-b'] },
    { command: 'rm a\nrm b\n# end', files: ['-b'] },
    { command: 'rm a || rm b', files: [] },
    { command: 'rm a || rm b && rm c', files: ['-c'] },
    { command: 'rm a || exit 0\nrm b', files: [] },
    { command: 'test -f x && exit 0; rm b', files: [] },
    { command: 'if x; then exit 0; fi; rm b', files: [] },
    { command: '! rm a', files: [] },
    { command: 'rm a &', files: [] },
    { command: 'rm a | rm b', files: ['-b'] },
    { command: '(rm a && rm b)', files: [] },
    { command: '{ rm a; rm b; } > c', files: [] },
    { command: 'for f in a b; do rm $f; rm c; done > d', files: [] },
    { command: '{ rm a; } && rm b', files: ['-b'] },
    { command: 'case $a in b) rm b;; esac; rm c', files: ['-c'] },
    { command: '[[ -f a && b ]] && rm a', files: ['-a'] },
    { command: '[ -f a ] && rm a', files: ['-a'] },
    { command: 'rm a && ((1 < 2))', files: ['-a'] },
    { command: 'timeout -k 5 60s rm a', files: ['-a'] },
    { command: 'timeout 60s rm a', files: ['-a'] },
    { command: 'rm() { echo; }; rm a', files: [] },
    { command: 'f() { rm a; }\nf', files: [] },
    {
      command: 'A=b sudo -n rm a && time rm b && /bin/rm c && \\rm d && env X=1 rm e',
      files: ['-a', '-b', '-c', '-d', '-e'],
    },
    { command: 'command -v rm a; sudo -u me rm b', files: [] },
    { command: 'echo "rm a" && ssh host rm b && xargs rm c', files: [] },
    { command: 'rm "a', files: [] },
  ])('$command', ({ command, files }) => {
    expect(changes(command)).toEqual(files);
  });
});

describe('the folder', () => {
  it.each([
    { command: 'cd a && rm b ../c /d', files: ['-/d'] },
    { command: 'cd a; rm b /c', files: ['-/c'] },
    { command: '{ cd a && rm b; } && rm /c', files: ['-/c'] },
    { command: 'eval a && rm b', files: [] },
    { command: 'git -C a rm b', files: [] },
  ])('$command', ({ command, files }) => {
    expect(changes(command)).toEqual(files);
  });
});

describe('discards', () => {
  it.each([
    { command: 'git checkout -- a.ts ./b.ts', discards: { how: 'checkout', paths: ['a.ts', 'b.ts'] } },
    { command: 'git checkout HEAD~1 -- a', discards: { how: 'checkout', paths: ['a'] } },
    { command: 'git checkout HEAD src/a.ts', discards: { how: 'checkout', paths: ['src/a.ts'] } },
    { command: 'git checkout .', discards: { how: 'checkout', paths: 'all' } },
    { command: 'cd /a && git checkout -- b', discards: { how: 'checkout', paths: ['b'] } },
    { command: 'git restore a', discards: { how: 'restore', paths: ['a'] } },
    { command: 'git restore --source=HEAD .', discards: { how: 'restore', paths: 'all' } },
    { command: 'git reset -q --hard HEAD~1', discards: { how: 'reset', paths: 'all' } },
    { command: 'git checkout -- a && git restore b', discards: { how: 'checkout', paths: ['a', 'b'] } },
    { command: 'git checkout -- a && git reset --hard', discards: { how: 'checkout', paths: 'all' } },
  ])('$command', ({ command, discards }) => {
    expect(shellEffects(command).discards).toEqual(discards);
  });

  it.each([
    'git checkout main',
    'git checkout v1.2.x',
    'git checkout -b fix/a.b',
    'git checkout --theirs a.ts',
    'git checkout -p a.ts',
    'git checkout -- "*.ts" :/',
    'git switch main',
    'git restore --staged a.ts',
    'git restore -p',
    'git stash',
    'git reset --soft HEAD~1',
    'git reset HEAD a.ts',
    'git clean -fd',
    'cd a && git reset --hard',
    'git -C a reset --hard',
    'gh pr checkout 2 a',
    'git log -- a.ts',
  ])('none: %s', (command) => {
    expect(shellEffects(command).discards).toBeUndefined();
  });
});

it.each([
  { command: "git add -A && git commit -m \"$(cat <<'E'\nit's (a\nE\n)\"", commits: true },
  { command: 'cd a && git commit -am "return b" && git push', commits: true },
  { command: 'git commit -m a; git push', commits: false },
  { command: 'git commit --dry-run', commits: false },
  { command: 'git commit-tree a', commits: false },
  { command: 'echo git commit', commits: false },
])('commits: $command', ({ command, commits }) => {
  expect(shellEffects(command).commits).toBe(commits);
});

it.each(['', 'rm a; echo "', 'rm a )', 'f() { :; }; rm a', 'exec a && rm b'])('says nothing of %j', (command) => {
  const { changes = [], discards, commits = false } = shellEffects(command);
  expect({ changes, discards, commits }).toEqual({ changes: [], discards: undefined, commits: false });
});

it.each([
  '"',
  '(',
  '( ',
  '{ ',
  '$(',
  'a|',
  'a&&',
  'a;',
  'if a;',
  'a>b ',
  'cd a&&',
  'git stash&&',
  'a||',
  '! ',
  'mv a b c;',
  '[[ ',
  'sed -i ',
])('tells the same of 100,000 characters of %j as of 1,000', (piece) => {
  const told = (length: number) => {
    const { changes = [], ...rest } = shellEffects(`${piece.repeat(length / piece.length)}a`);
    return { ...rest, changes: [...new Set(changes.map(({ path, change }) => `${change} ${path}`))] };
  };
  expect(told(100_000)).toEqual(told(1_000));
});

it('never throws, whatever is cut off', () => {
  const command = `cd a && { cat > b <<-'E'\n\tx\n\tE\n} && git stash push -m "$(x \`y\`)" -- \${z:-"q"} || ( [[ a ]] && sed -i $'\\t' c ); case a in b) ;; esac`;
  for (let end = 0; end <= command.length; end++) {
    expect(() => shellEffects(command.slice(0, end))).not.toThrow();
    expect(() => shellEffects(command.slice(end))).not.toThrow();
  }
});
