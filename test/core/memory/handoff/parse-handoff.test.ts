import { describe, expect, it } from 'vitest';
import { HANDOFF_SECTIONS } from '../../../../src/core/governor/relief/handoff-request.ts';
import { parseHandoff } from '../../../../src/core/memory/handoff/check-handoff.ts';

/** A document whose headings are written by `heading`, and whose bodies are `body 0`, `body 1`, … */
function documentWith(heading: (section: string, index: number) => string): string {
  return HANDOFF_SECTIONS.map((section, index) => `${heading(section, index)}\nbody ${index}\n`).join('\n');
}

const BODIES = HANDOFF_SECTIONS.map((section, index) => [section, `body ${index}`]);
const PLAIN = documentWith((section) => `## ${section}`);

describe('finding sections', () => {
  it.each([
    { title: 'as they were asked for', text: PLAIN },
    { title: 'with another level', text: documentWith((section) => `#### ${section}`) },
    { title: 'with closing marks', text: documentWith((section) => `## ${section} ##`) },
    { title: 'with a colon', text: documentWith((section) => `## ${section}:`) },
    { title: 'without a blank behind the marks', text: documentWith((section) => `##${section}`) },
    { title: 'in bold', text: documentWith((section) => `**${section}**`) },
    { title: 'in bold with a colon', text: documentWith((section) => `**${section}:**`) },
    { title: 'in bold with a number', text: documentWith((section, index) => `${index + 1}. **${section}**`) },
    { title: 'with numbers', text: documentWith((section, index) => `## ${index + 1}. ${section}`) },
    { title: 'in bold headings', text: documentWith((section) => `### **${section}**`) },
    { title: 'with a picture', text: documentWith((section) => `## 🎯 ${section}`) },
    { title: 'in capitals', text: documentWith((section) => `## ${section.toUpperCase()}`) },
    { title: 'with other joints', text: documentWith((s) => `## ${s.replace(' and ', ' & ').replace('In ', 'In-')}`) },
    { title: 'with remarks', text: documentWith((section) => `## ${section} (as of now)`) },
    { title: 'with a title and words before', text: `Here it is.\n\n# Handoff document\n\n${PLAIN}` },
    { title: 'with another heading behind', text: `${PLAIN}\n## Notes\nnothing of ours\n` },
    { title: 'with carriage returns', text: PLAIN.replaceAll('\n', '\r\n') },
    { title: 'in a fence', text: `\`\`\`markdown\n${PLAIN}\n\`\`\`\n` },
    { title: 'in a fence with words round it', text: `Sure:\n\n~~~md\n${PLAIN}\n~~~\n\nI hope that helps.` },
    { title: 'in a fence that is never closed', text: `\`\`\`\n${PLAIN}` },
  ])('$title', ({ text }) => {
    const { sections } = parseHandoff(text);
    expect([...sections].map(([section, body]) => [section, body.replaceAll('\r', '')])).toStrictEqual(BODIES);
  });

  it('finds sections in a fence that contains fences', () => {
    const text = `\`\`\`markdown\n${PLAIN}\n\`\`\`sh\nnpm test # passed\n\`\`\`\n\`\`\`\nBye.`;
    expect(parseHandoff(text).sections.get('Commands to verify')).toBe('body 7\n\n```sh\nnpm test # passed\n```');
  });

  it('includes text after a heading on its line', () => {
    const { sections } = parseHandoff('**Goal:** mend the clock\n## Done: the parser: whole\nmore');
    expect([...sections]).toStrictEqual([
      ['Goal', 'mend the clock'],
      ['Done', 'the parser: whole\nmore'],
    ]);
  });

  it.each([
    { title: 'a heading in a code block', text: '## Goal\n```\n## Done\n```\n', has: ['Goal'] },
    { title: 'a quoted heading', text: '## Goal\n> ## Done\n', has: ['Goal'] },
    { title: 'bold words in a section', text: '## Done\n**Files:** a.ts\n## Files\n- b.ts\n', has: ['Done', 'Files'] },
    { title: 'words that begin alike', text: '## Goal\n## Done with it all\n', has: ['Goal'] },
    { title: 'nothing at all', text: '', has: [] },
  ])('ignores $title', ({ text, has }) => {
    expect([...parseHandoff(text).sections.keys()]).toStrictEqual(has);
  });

  it('keeps a heading of a lower level in its section, and merges equal headings', () => {
    const { sections } = parseHandoff('## Done\n### How\nx\n## Files\ny\n## Done\nz');
    expect([...sections]).toStrictEqual([
      ['Done', '### How\nx\nz'],
      ['Files', 'y'],
    ]);
  });
});

describe('finding files', () => {
  it.each([
    { line: '- `src/a.ts`: the parser', has: ['src/a.ts'] },
    { line: '1. **`src/a.ts`** (new)', has: ['src/a.ts'] },
    { line: '- [x] `package.json`', has: ['package.json'] },
    { line: '- `a.ts`, `b.ts` and `c.ts`: three', has: ['a.ts', 'b.ts', 'c.ts'] },
    { line: '| `src/a.ts` | changed |', has: ['src/a.ts'] },
    { line: '- `src/a.ts:12-40`, `src/b.ts#L7`, `src/c.ts:3:9`', has: ['src/a.ts', 'src/b.ts', 'src/c.ts'] },
    { line: '- `src/memory/`: a folder', has: ['src/memory/'] },
    { line: '- `bin/ctxb`', has: ['bin/ctxb'] },
    { line: '- `/etc/hosts.conf`', has: ['/etc/hosts.conf'] },
    { line: '- `src/remove-file.ts`: takes files away', has: ['src/remove-file.ts'] },
    { line: '- `src/a.ts`: exports `parse.it` from `lib/x.ts`', has: ['src/a.ts'] },
    { line: '- `docs/größe.md`', has: ['docs/größe.md'] },
    { line: '- `old.ts` (deleted)', has: [] },
    { line: '- `src/old.ts`: removed', has: [] },
    { line: '- renamed `src/a.ts` to `src/b.ts`', has: [] },
    { line: '- `src/new.ts` (to create)', has: [] },
    { line: '- `src/new.ts`, not yet written', has: [] },
    { line: '- `src/**/*.ts`: all of them', has: [] },
    { line: '- `src/{a,b}.ts`', has: [] },
    { line: '- `src/.../a.ts`', has: [] },
    { line: '- `https://example.com/a.html`', has: [] },
    { line: '- `parseHandoff` is the one to look at', has: [] },
    { line: '- Node.js scripts and/or others', has: [] },
    { line: '- `1.2.3` is the version', has: [] },
    { line: '- `@/components/a.tsx`', has: [] },
    { line: 'None', has: [] },
  ])('finds files in Files: $line', ({ line, has }) => {
    expect(parseHandoff(`## Files\n${line}\n`).files).toStrictEqual(has);
  });

  it('finds no files in other sections', () => {
    for (const section of HANDOFF_SECTIONS.filter((name) => name !== 'Files')) {
      expect(parseHandoff(`## ${section}\n- \`src/a.ts\``).files).toStrictEqual([]);
    }
  });
});

describe('finding commands', () => {
  it.each([
    { line: '- `npm test` — passed', has: ['npm test', true] },
    { line: '- `npm test` — failed', has: ['npm test', false] },
    { line: '- `npm test` — not run', has: ['npm test', false] },
    { line: '* **`npm test`**: PASSED (12 tests, 0 failed)', has: ['npm test', true] },
    { line: '- `npm test` - 0 failed, 12 passed', has: ['npm test', true] },
    { line: '- `npm test` -- 2 failed, 10 passed', has: ['npm test', false] },
    { line: '- `npm test` ✅', has: ['npm test', true] },
    { line: '- `npm test` (exit 0)', has: ['npm test', true] },
    { line: '- `npm test` (exit code 1)', has: ['npm test', false] },
    { line: '- `npm test` — should pass now', has: ['npm test', false] },
    { line: '- `npm test`', has: ['npm test', false] },
    { line: '- `$ npm test` — ok', has: ['npm test', true] },
    { line: '- ``echo `date` `` — passed', has: ['echo `date`', true] },
    { line: '| `npm test` | passed |', has: ['npm test', true] },
    { line: '- `a` and `b` — passed', has: ['a', true, 'b', true] },
    { line: '- `a` — not run because `b` failed', has: ['a', false] },
    { line: 'None', has: [] },
  ])('$line', ({ line, has }) => {
    const { commands } = parseHandoff(`## Commands to verify\n${line}\n`);
    expect(commands.flatMap(({ text, passed }) => [text, passed])).toStrictEqual(has);
  });
});
