import { expect, it } from 'vitest';
import { shellWords } from '../../src/memory/shell/shell-words.ts';

/** Words as their text, or `?`; redirections as operator and target. */
function seen(command: string): string[] | undefined {
  return shellWords(command)?.map((token) => {
    if (token.kind === 'operator') return token.text;
    return token.kind === 'word' ? (token.text ?? '?') : `${token.operator}${token.target.text ?? '?'}`;
  });
}

it.each([
  { name: 'words', command: 'rm  -rf\ta', tokens: ['rm', '-rf', 'a'] },
  { name: 'single quotes', command: "echo 'a b'\\''c'", tokens: ['echo', "a b'c"] },
  { name: 'double quotes', command: 'echo "a \\"b\\" \\n \\\\"', tokens: ['echo', 'a "b" \\n \\'] },
  { name: 'C strings', command: "echo $'a\\tb\\'c'", tokens: ['echo', "a\tb'c"] },
  { name: 'escapes', command: 'rm a\\ b \\$c', tokens: ['rm', 'a b', '$c'] },
  { name: 'a continued line', command: 'rm a \\\n  b\\\nc', tokens: ['rm', 'a', 'bc'] },
  { name: 'comments', command: 'a # b "\nc#d', tokens: ['a', '\n', 'c#d'] },
  {
    name: 'operators',
    command: 'a&&b||c|d;e&f|&g',
    tokens: ['a', '&&', 'b', '||', 'c', '|', 'd', ';', 'e', '&', 'f', '|&', 'g'],
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
  { name: 'a list', command: 'a=(b "c" $(d))', tokens: ['?'] },
  { name: 'redirections', command: 'a>b 2>>c 2>&1 &>d >|e <f', tokens: ['a', '>b', '>>c', '>&1', '&>d', '>|e', '<f'] },
  {
    name: 'a here-document',
    command: "cat > a <<'E' && b\nrm x 'y\nE\nc",
    tokens: ['cat', '>a', '<<E', '&&', 'b', '\n', '\n', 'c'],
  },
  { name: 'a here-document with tabs', command: 'cat <<-E\n\tx\n\tE\nb', tokens: ['cat', '<<-E', '\n', '\n', 'b'] },
  { name: 'two here-documents', command: 'cat <<A <<B\na\nA\nb\nB\nc', tokens: ['cat', '<<A', '<<B', '\n', '\n', 'c'] },
  { name: 'an end that is continued', command: 'cat <<E\na\\\nE\nb\nE\nc', tokens: ['cat', '<<E', '\n', '\n', 'c'] },
  { name: 'a here-string', command: 'cat <<< "a b"', tokens: ['cat', '<<<a b'] },
])('reads $name', ({ command, tokens }) => {
  expect(seen(command)).toEqual(tokens);
});

it.each([
  { name: 'an open single quote', command: "echo 'a" },
  { name: 'an open double quote', command: 'echo "a' },
  { name: 'an open substitution', command: 'echo $(a' },
  { name: 'an open brace', command: 'echo ${a' },
  { name: 'an open backtick', command: 'echo `a' },
  { name: 'a here-document without end', command: 'cat <<E\na' },
  { name: 'a here-document that begins in a substitution', command: 'cat <<E $(a\nE\n)\nE' },
  { name: 'a case in a substitution', command: 'echo $(case a in a) b;; esac)' },
  { name: 'a redirection to nowhere', command: 'a >' },
  { name: 'a lone backslash', command: 'a \\' },
  { name: 'nesting without end', command: '$('.repeat(60) + ')'.repeat(60) },
])('does not understand $name', ({ command }) => {
  expect(shellWords(command)).toBeUndefined();
});

it('tells what may be several arguments, or none', () => {
  const words = shellWords(`$a "$b" "$@" "\${c[@]}" * d`)?.map((token) => token.kind === 'word' && token.one);
  expect(words).toEqual([false, true, false, false, false, true]);
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
])('reads 1,000,000 characters of %j as it reads 1,000', (piece) => {
  const [few, many] = [1_000, 1_000_000].map((length) => shellWords(piece.repeat(length / piece.length))?.length);
  // One word, however long it is, or as many more as there is more.
  expect(many).toBe(few === undefined || few <= 1 ? few : few * 1_000);
});
