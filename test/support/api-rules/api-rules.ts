import type { Block, RequestBody } from '../standin/scenario.ts';
import { createBook } from './book.ts';
import { CACHE_RULES, MESSAGE_RULES } from './message-rules.ts';
import type { Rule } from './rule.ts';
import { sentOf } from './sent.ts';
import { PREFIX, THINKING_RULES } from './thinking-rules.ts';
import { TOOL_RULES } from './tool-rules.ts';

/** A rule of the API that a request breaks; `at` is the place as the API names it. */
export interface Violation extends Pick<Rule, 'name' | 'source' | 'says'> {
  readonly at: string;
}

const RULES: readonly Rule[] = [...MESSAGE_RULES, ...TOOL_RULES, ...THINKING_RULES, ...CACHE_RULES];

/** Judges the requests of one API by its documented rules, and by what it has answered so far. */
export function createApiRules() {
  const book = createBook();
  return {
    violationsOf(body: RequestBody): Violation[] {
      const sent = sentOf(body);
      return RULES.flatMap(({ name, source, says, broken }) =>
        broken(sent, book).map((at) => ({ name, source, says, at })),
      );
    },
    noteAnswer: (body: RequestBody, content: readonly Block[]) => book.note(sentOf(body), content),
  };
}

/** The API's error for a thought under a changed prefix; claude then removes the thought. */
export function refusalOf(violations: readonly Violation[]): string | undefined {
  const found = violations.find(({ name }) => name === PREFIX.name);
  return (
    found && `${found.at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`
  );
}
