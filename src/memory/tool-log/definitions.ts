import { NEAR_LENGTH } from './near-lines.ts';

/** A name that a line of a common language defines: of a function, a type, or a constant at the left margin. */
const DEFINITION =
  /^[ \t]{0,8}(?:(?:export|default|declare|pub(?:\(\w{1,20}\))?|public|private|protected|internal|static|abstract|final|sealed|async|unsafe|inline|partial|override)[ \t]{1,9}){0,6}(?:(?:function\*?|class|interface|enum|struct|trait|def|fn|fun|record|namespace|module|object|protocol|type)[ \t]{1,9}|func[ \t]{1,9}(?:\([^()\n]{1,80}\)[ \t]{0,9})?|\((?:defun|defmacro|defvar|defcustom)[ \t]{1,9})([A-Za-z_$][\w$.?!-]{0,79})|^(?:export[ \t]{1,9})?(?:const|let|var)[ \t]{1,9}([A-Za-z_$][\w$]{0,79})[ \t]{0,9}(?::[^=\n]{1,80})?=/gm;

/** Words that only look like names: `type of`, `class is`. */
const NO_NAMES = new Set(['of', 'is', 'and', 'or', 'the', 'a', 'an', 'in', 'to', 'for', 'with', 'that', 'from']);

/** What the text of a file defines, in its order, each once. Nothing is certain of a text that is prose. */
export function definitionsIn(text: string): string[] {
  const names = new Set<string>();
  for (const [, one, other] of text.slice(0, NEAR_LENGTH).matchAll(DEFINITION)) {
    const name = (one ?? other ?? '').replace(/[.?!-]+$/, '');
    if (name !== '' && !NO_NAMES.has(name)) names.add(name);
  }
  return [...names];
}
