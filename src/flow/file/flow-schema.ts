import * as v from 'valibot';
import type { BudgetChanges } from '../../config/flow-settings.ts';
import { budgetEntries } from '../../config/schema.ts';
import { choice, flag, priority, seconds, toShare } from '../../config/values.ts';

/** A longer job is several jobs; the bound keeps the order of steps cheap to find. */
export const MAX_STEPS = 1000;
const MAX_RETRIES = 10;
const MAX_FILES = 200;

// The message of each part says what is expected; findings quote it.
const NAME = 'a text of letters, digits, "-" and "_" that begins with a letter or digit, at most 64 long';
const TEXT = 'a text that is not empty';
const TEXTS = 'a list of texts that are not empty';
const PATH = 'a path';
const PATHS = 'a list of paths';
const MODEL = 'the name of a model';
const RETRIES = `a whole number from 0 to ${MAX_RETRIES}`;
const FILES = `a whole number from 1 to ${MAX_FILES}`;
const STEPS = `a list of 1 to ${MAX_STEPS} steps`;

// Names of flows and steps become names of folders, also on file systems that ignore case.
const name = v.pipe(v.string(NAME), v.regex(/^[A-Za-z0-9][\w-]{0,63}$/, NAME));
const text = v.pipe(v.string(TEXT), v.regex(/\S/, TEXT));
const texts = v.array(v.pipe(v.string(TEXT), v.regex(/\S/, TEXT)), TEXTS);
const path = v.pipe(v.string(PATH), v.regex(/^[^\x00-\x1f\x7f]+$/, PATH));
const paths = v.array(path, PATHS);
// It becomes an argument of claude, where a leading dash would make it an option.
const model = v.pipe(v.string(MODEL), v.regex(/^[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]*$/, MODEL));
const retries = v.pipe(v.number(RETRIES), v.integer(RETRIES), v.minValue(0, RETRIES), v.maxValue(MAX_RETRIES, RETRIES));
const maxFiles = v.pipe(v.number(FILES), v.integer(FILES), v.minValue(1, FILES), v.maxValue(MAX_FILES, FILES));

export const promptPath = path;

function described<const S extends v.GenericSchema>(schema: S, description: string) {
  return v.pipe(schema, v.description(description));
}

function group<const T extends v.ObjectEntries>(entries: T) {
  return v.strictObject(entries, `an object with ${Object.keys(entries).join(', ')}`);
}

export const budgets = group(budgetEntries);

/** Of the sizes, one may be a percentage of the window, which becomes a fraction. */
function describedBudgets(description: string) {
  return v.pipe(
    budgets,
    v.description(description),
    v.transform(({ contextBudgetTokens: tokens, ...sizes }): BudgetChanges => {
      return tokens === undefined ? sizes : { ...sizes, contextBudgetTokens: toShare(tokens) };
    }),
  );
}

const curator = group({
  enabled: v.exactOptional(described(flag, 'Ask a cheap model before each step what matters to it. Default: false.')),
  model: v.exactOptional(described(model, 'Its model. Default: haiku.')),
  timeoutSeconds: v.exactOptional(described(seconds, 'After this time the step runs without it. Default: 60.')),
  maxFiles: v.exactOptional(described(maxFiles, 'How many files it may name. Default: 20.')),
});

/** What a profile says, in a flow or in a file of its own. */
export const profile = group({
  budgets: v.optional(describedBudgets('Sizes of briefings while the profile is chosen.'), {}),
  curator: v.optional(described(curator, 'The curator while the profile is chosen.'), {}),
});

const teaching = group({
  notes: v.optional(described(text, 'What is good to know.')),
  emphasis: v.optional(described(texts, 'What matters most.'), []),
  constraints: v.optional(described(texts, 'What must not be done, or must hold.'), []),
});

const step = group({
  id: described(name, 'Unlike that of any other step; the name of its folder.'),
  agent: v.optional(described(text, 'Who does it, for instance test-author: says how much its output counts.')),
  priority: v.optional(described(priority, 'How much its output counts for later steps; overrides that of the agent.')),
  objective: v.optional(described(text, 'What the step is for; without a prompt it is asked to reach this.')),
  inputs: v.optional(described(paths, 'Files it builds on, relative to the working folder.'), []),
  outputs: v.optional(described(paths, 'Files it makes, relative to the working folder.'), []),
  teaching: v.optional(described(teaching, 'What the step must keep in mind; always told whole.'), {}),
  prompt: v.optional(described(text, 'What is asked of it.')),
  promptFile: v.optional(described(path, "A file with the prompt in the flow's folder, relative to the flow.")),
  budgets: v.optional(describedBudgets('Sizes of the briefing of this step.'), {}),
  curator: v.optional(described(curator, 'The curator of this step.'), {}),
  model: v.optional(described(model, 'Model of claude for this step.')),
  needs: v.optional(
    described(
      v.array(v.string('the id of a step'), 'a list of ids of steps'),
      'Steps that must be over before, and whose output it sees. Default: all steps above.',
    ),
  ),
  timeoutSeconds: v.optional(described(seconds, 'After this time the step has failed.')),
  retries: v.optional(described(retries, 'How often it is tried again after a failure.'), 0),
  onFail: v.optional(
    described(choice(['stop', 'continue']), 'Whether the flow ends when the step has failed.'),
    'stop',
  ),
});

/** What a flow file may say. Reading it with `v.parse` fills in the defaults. */
export const flowFileSchema = v.pipe(
  group({
    $schema: v.optional(described(text, 'The JSON Schema for editors; ignored.')),
    name: described(name, 'Names the folders of runs and receipts.'),
    profile: v.optional(
      described(
        text,
        'Name of the profile that applies: one of profiles, or of a file profiles/NAME.yaml beside the flow, or its path.',
      ),
    ),
    profiles: v.optional(
      described(
        v.record(v.string(), profile, 'an object with a profile by each name'),
        'Budgets and curators by name, to choose from.',
      ),
      {},
    ),
    budgets: v.optional(describedBudgets('Sizes of the briefings of all steps.'), {}),
    curator: v.optional(
      described(curator, 'A cheap model that chooses what matters to each step, and sums up older ones.'),
      {},
    ),
    priorities: v.optional(
      described(
        v.record(v.string(), priority, 'an object with a priority by the name of each agent'),
        "How much an agent's output counts; overrides the built-in priorities.",
      ),
      {},
    ),
    scentTrail: v.optional(described(path, 'A file with hints from earlier runs; every briefing has its beginning.')),
    steps: described(
      v.pipe(v.array(step, STEPS), v.minLength(1, STEPS), v.maxLength(MAX_STEPS, STEPS)),
      'The steps, in the order in which they run unless needs say otherwise.',
    ),
  }),
  v.title('ctxb flow'),
);

/** The keys of each level, with the advice for a key that belongs there. */
export const LEVELS: readonly { readonly keys: readonly string[]; readonly move: string }[] = [
  { keys: Object.keys(budgets.entries), move: 'move it into budgets' },
  { keys: Object.keys(teaching.entries), move: 'move it into teaching' },
  { keys: Object.keys(step.entries), move: 'move it into the step' },
  { keys: Object.keys(flowFileSchema.entries), move: 'move it to the top level of the file' },
];
