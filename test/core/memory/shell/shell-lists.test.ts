import { expect, it } from 'vitest';
import { type Command, shellLists } from '../../../../src/core/memory/shell/shell-lists.ts';

/** Words as their text, or `?`; redirections, which come behind the words of their command, as operator and target. */
function seen(command: string): string[] | undefined {
  const texts = shellLists(command)?.flatMap(({ links, background }) => [
    ...links.flatMap(({ otherwise, negated, commands }, at) => [
      ...(at === 0 ? [] : [otherwise ? '||' : '&&']),
      ...(negated ? ['!'] : []),
      ...commands.flatMap((one, part) => [...(part === 0 ? [] : ['|']), ...textsOf(one)]),
    ]),
    ...(background ? ['&'] : []),
    ';',
  ]);
  return texts?.slice(0, -1);
}

function textsOf(command: Command): string[] {
  if (command.kind !== 'simple') return [command.kind];
  const redirects = command.redirects.map(({ operator, target }) => `${operator}${target.text ?? '?'}`);
  return [...command.words.map(({ text }) => text ?? '?'), ...redirects];
}

it.each([
  { name: 'words', command: 'rm  -rf\ta', tokens: ['rm', '-rf', 'a'] },
  { name: 'single quotes', command: "echo 'a b'\\''c'", tokens: ['echo', "a b'c"] },
  { name: 'double quotes', command: 'echo "a \\"b\\" \\n \\\\"', tokens: ['echo', 'a "b" \\n \\'] },
  { name: 'C strings', command: "echo $'a\\tb\\'c'", tokens: ['echo', "a\tb'c"] },
  { name: 'escapes', command: 'rm a\\ b \\$c', tokens: ['rm', 'a b', '$c'] },
  { name: 'a continued line', command: 'rm a \\\n  b\\\nc', tokens: ['rm', 'a', 'bc'] },
  { name: 'comments', command: 'a # b "\nc#d', tokens: ['a', ';', 'c#d'] },
  {
    name: 'operators',
    command: 'a&&b||c|d;e&f|&g',
    tokens: ['a', '&&', 'b', '||', 'c', '|', 'd', ';', 'e', '&', ';', 'f', '|', 'g'],
  },
  { name: 'variables', command: `rm $a "$b" \${c:-"}"} a$`, tokens: ['rm', '?', '?', '?', 'a$'] },
  {
    name: 'globs, braces, a home',
    command: 'rm *.ts a?b [ab] {a,b} ~/c d~',
    tokens: ['rm', '?', '?', '?', '?', '?', 'd~'],
  },
  {
    name: 'a substitution in quotes',
    command: 'git commit -m "$(cat <<\'E\'\nit\'s ) "\nE\n)"',
    tokens: ['git', 'commit', '-m', '?'],
  },
  { name: 'arithmetic', command: 'echo $((1 << (2)))', tokens: ['echo', '?'] },
  { name: 'backticks', command: 'rm `ls \\`a\\` "`', tokens: ['rm', '?'] },
  { name: 'process substitution', command: 'diff <(a; b) >(c)', tokens: ['diff', '?', '?'] },
  { name: 'assignments', command: 'a=(b "c" $(d)) e=f g', tokens: ['g'] },
  { name: 'a declaration', command: 'export a=b c', tokens: ['export', '?', 'c'] },
  { name: 'not', command: '! a && ! ! b', tokens: ['!', 'a', '&&', 'b'] },
  { name: 'redirections', command: 'a>b 2>>c 2>&1 &>d >|e <f', tokens: ['a', '>b', '>>c', '>&1', '&>d', '>|e', '<f'] },
  {
    name: 'a here-document',
    command: "cat > a <<'E' && b\nrm x 'y\nE\nc",
    tokens: ['cat', '>a', '<<E', '&&', 'b', ';', 'c'],
  },
  { name: 'a here-document with tabs', command: 'cat <<-E\n\tx\n\tE\nb', tokens: ['cat', '<<-E', ';', 'b'] },
  { name: 'two here-documents', command: 'cat <<A <<B\na\nA\nb\nB\nc', tokens: ['cat', '<<A', '<<B', ';', 'c'] },
  { name: 'an end that is continued', command: 'cat <<E\na\\\nE\nb\nE\nc', tokens: ['cat', '<<E', ';', 'c'] },
  { name: 'a here-string', command: 'cat <<< "a b"', tokens: ['cat', '<<<a b'] },
  { name: 'a case in a substitution', command: 'echo $(case a in a) b;; esac) c', tokens: ['echo', '?', 'c'] },
  { name: 'the name of a program in zsh', command: 'file =ls a=b', tokens: ['file', '?', 'a=b'] },
  {
    name: 'loops and groups',
    command: 'for a in b; do c; done; (a); { a; }',
    tokens: ['block', ';', 'block', ';', 'block'],
  },
])('reads $name', ({ command, tokens }) => {
  expect(seen(command)).toEqual(tokens);
});

it.each([
  { name: 'an open single quote', command: "echo 'a" },
  { name: 'an open double quote', command: 'echo "a' },
  { name: 'an open substitution', command: 'echo $(a' },
  { name: 'an open brace', command: 'echo ${a' },
  { name: 'an open backtick', command: 'echo `a' },
  { name: 'a redirection to nowhere', command: 'a >' },
  { name: 'zsh: a substitution by a file', command: 'diff =(a) b' },
  { name: 'zsh: a short loop', command: 'for f (a b) echo $f' },
  { name: 'a function', command: 'f() { a; }' },
  { name: 'a function in a loop', command: 'if a; then f() { b; }; fi' },
  { name: 'a parenthesis too many', command: 'a )' },
  { name: 'nesting without end', command: '$('.repeat(300) + ')'.repeat(300) },
])('does not understand $name', ({ command }) => {
  expect(shellLists(command)).toBeUndefined();
});

it.each([
  '"',
  "'",
  '(',
  '$(',
  '${',
  '`',
  '<<',
  '\\',
  '{',
  '"$(',
  '\'"\'"',
  'a b ',
  '<(',
  '((',
  '$((',
  "$'",
  '#',
  '\n',
  '<<E\n',
  '&&',
])('reads 100,000 characters of %j as it reads 1,000', (piece) => {
  const [few, many] = [1_000, 100_000].map((length) => shellLists(piece.repeat(length / piece.length))?.length);
  expect(many === undefined).toBe(few === undefined);
});
