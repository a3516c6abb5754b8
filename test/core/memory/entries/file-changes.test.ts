import { describe, expect, it } from 'vitest';
import { fileWork } from '../../../../src/core/memory/entries/file-changes.ts';

function isNoted(before: string, after: string): boolean {
  return fileWork('Edit', { file_path: 'a', old_string: before, new_string: after }, '', {}).swaps.length > 0;
}

describe('the texts of an edit', () => {
  it.each([
    { name: 'an import', before: 'a();', after: "import { a } from './a.ts';\na();" },
    { name: 'a line of a list of imports', before: 'import (\n\t"os"\n)', after: 'import (\n\t"os"\n\t"time"\n)' },
    { name: 'an import with a name', before: '\t"os"', after: '\t"os"\n\tcfg "example.org/app/config"' },
    { name: 'an include', before: 'int x;', after: '#include <stdio.h>\nint x;' },
    { name: 'a comment', before: 'a();', after: '// Why.\na();' },
    { name: 'white space', before: 'if (x) {\n  a();\n}', after: 'if (x) {\n    a();\n}' },
    { name: 'nothing', before: 'a();', after: 'a();' },
    { name: 'another order', before: 'a();\nb();', after: 'b();\na();' },
  ])('are left out: $name, in both directions', ({ before, after }) => {
    expect([isNoted(before, after), isNoted(after, before)]).toEqual([false, false]);
  });

  it.each([
    { name: 'another word', before: 'x', after: 'y' },
    { name: 'another value', before: 'const limit = 5;', after: 'const limit = 50;' },
    { name: 'code with its import', before: 'a();', after: "import { b } from './b.ts';\na(b());" },
    { name: 'code with a comment', before: 'a();', after: '// Why.\nb();' },
  ])('are noted: $name', ({ before, after }) => {
    expect([isNoted(before, after), isNoted(after, before)]).toEqual([true, true]);
  });
});
