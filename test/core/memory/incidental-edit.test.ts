import { describe, expect, it } from 'vitest';
import { isIncidental } from '../../../src/core/memory/entries/file-changes.ts';

describe('isIncidental', () => {
  it.each([
    { name: 'an import', before: 'a();', after: "import { a } from './a.ts';\na();" },
    { name: 'a line of a list of imports', before: 'import (\n\t"os"\n)', after: 'import (\n\t"os"\n\t"time"\n)' },
    { name: 'an import with a name', before: '\t"os"', after: '\t"os"\n\tcfg "example.org/app/config"' },
    { name: 'an include', before: 'int x;', after: '#include <stdio.h>\nint x;' },
    { name: 'a comment', before: 'a();', after: '// Why.\na();' },
    { name: 'white space', before: 'if (x) {\n  a();\n}', after: 'if (x) {\n    a();\n}' },
    { name: 'output', before: 'a();', after: "console.log('here', x);\na();" },
    {
      name: 'output with what it needs',
      before: 'return f(x)',
      after: 'y := f(x)\nfmt.Fprintf(os.Stderr, "%v", y)\nreturn y',
    },
    {
      name: 'a mark of what is to go again',
      before: 'clean = false',
      after: 'clean = true // TEMP: does the test bite?',
    },
  ])('yes: $name, in both directions', ({ before, after }) => {
    expect([isIncidental(before, after), isIncidental(after, before)]).toEqual([true, true]);
  });

  it.each([
    { name: 'another word', before: 'x', after: 'y' },
    { name: 'another value', before: 'const limit = 5;', after: 'const limit = 50;' },
    { name: 'code with its import', before: 'a();', after: "import { b } from './b.ts';\na(b());" },
    { name: 'code with a comment', before: 'a();', after: '// Why.\nb();' },
    { name: 'another order', before: 'a();\nb();', after: 'b();\na();' },
    { name: 'a long text', before: 'x', after: '// y\n'.repeat(1_000) },
  ])('no: $name', ({ before, after }) => {
    expect([isIncidental(before, after), isIncidental(after, before)]).toEqual([false, false]);
  });
});
