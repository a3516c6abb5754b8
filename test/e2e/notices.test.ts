import { describe, expect, it } from 'vitest';
import { type Finished, startWorld, type World } from '../support/claude.ts';
import { summaryRequests } from '../support/conversation.ts';
import { DEFAULT_MODEL, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { firstOf } from '../support/size.ts';
import type { Call, Scenario } from '../support/standin/scenario.ts';

/** What the stand-in really counted, to hold the notices against. */
interface Counted {
  readonly scenario: Scenario;
  /** Tokens of each call of the main conversation, in order. */
  readonly contexts: readonly number[];
}

/** Contexts that rise by `growBy` with each call, a call for each turn or all in one, and fall with each summary. */
function counting(from: number, growBy: number, calls: number, isOneTurn = false): Counted {
  const contexts: number[] = [];
  let next = from;
  const call = (index: number): Call => {
    contexts.push(next);
    next += growBy;
    const isStep = isOneTurn && index < calls - 1;
    return {
      context: contexts.at(-1) ?? 0,
      ...(isStep ? { tools: [{ name: 'Bash', input: { command: 'true' } }] } : { text: 'ok' }),
    };
  };
  const summary = (): Call => {
    next = from;
    return { text: '<summary>So far.</summary>' };
  };
  return { scenario: { calls: (_, index) => call(index), summary }, contexts };
}

const figure = (text: string | undefined) => Number((text ?? '').replaceAll(',', ''));

/** Tokens that an answer of a word, a command of one and its result, or a prompt of a few can add to a figure. */
const FEW = 300;

/** Notices whose figures or events the stand-in does not know. */
function untrue({ stderr }: Finished, { contexts }: Counted, world: World): string[] {
  const isKnown = (tokens: number) => contexts.some((context) => tokens >= context && tokens - context < FEW);
  const lines = stderr.split('\n').filter((line) => line.startsWith('ctxb: '));
  const wrongFigures = lines.filter((line) => {
    const shares = /(\d+)% full \(([\d,]+) of ([\d,]+) tokens, (measured|predicted|asked)\)/.exec(line);
    if (shares !== null && Math.round((100 * figure(shares[2])) / figure(shares[3])) !== Number(shares[1])) return true;
    return shares?.[2] !== undefined && !isKnown(figure(shares[2]));
  });
  const said = (words: RegExp) => lines.filter((line) => words.test(line)).length;
  const told = said(/^ctxb: (?:claude )?compacted .*, by a summary$/);
  const made = summaryRequests(world.standin).length;
  return told === made ? wrongFigures : [...wrongFigures, `${told} compactions told of ${made}`];
}

const FOUR = prompts('one', 'two', 'three', 'four');

describe.each(
  firstOf([
    { name: '200,000', window: 200_000, model: SMALL_WINDOW },
    { name: "the default model's", window: 1_000_000, model: DEFAULT_MODEL },
  ]),
)('every notice agrees with the record of the stand-in, on a window of $name', ({ window, model }) => {
  it.each(
    firstOf([
      {
        what: 'compactions between turns',
        turns: [0.1, 0.35, 4],
        flags: FOUR,
        says: /^ctxb: compacted .*, by a summary$/m,
      },
      {
        what: 'a compaction that frees nothing',
        turns: [0.8, 0.01, 4],
        flags: FOUR,
        says: /compacted .*\([−+]\d%\), by a summary/,
      },
      {
        what: 'one turn',
        turns: [0.3, 0.17, 6],
        isOneTurn: true,
        flags: prompts('one'),
        says: /^ctxb: claude compacted mid-turn: \d+k → \d+k \(−\d\d%\), by a summary$/m,
      },
      { what: 'a run that only observes', turns: [0.1, 0.35, 4], flags: [...FOUR, '--observe'], says: /is due/ },
    ]),
  )('$what', async ({ turns: [from = 0, growBy = 0, calls = 0], isOneTurn, flags, says }) => {
    const counted = counting(from * window, growBy * window, calls, isOneTurn);
    await using world = await startWorld(counted.scenario);
    const run = await runCtxb(world, { flags, claude: model });
    expect(run.stderr).toMatch(says);
    expect(untrue(run, counted, world)).toEqual([]);
    if (flags.includes('--observe')) expect(run.stderr).not.toMatch(/compacting|handing over|it is relieved/);
  });
});
