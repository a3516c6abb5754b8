import * as v from 'valibot';
import { budgets as budgetEntries } from '../../config/group-schemas.ts';
import { choice, flag, priority, seconds } from '../../config/value-schemas.ts';
import { FLOW_DEFAULTS } from './flow-defaults.ts';

/** A job of so many steps is several jobs; the bound keeps the order of steps cheap to find. */
export const MAX_STEPS = 1000;
const MAX_RETRIES = 10;
const MAX_FILES = 200;

// The message of each part says what is expected; findings are built round it.
const NAME = 'a text of letters, digits, "-" and "_" that begins with a letter or digit, at most 64 long';
const TEXT = 'a text that is not empty';
const TEXTS = 'a list of texts that are not empty';
const PATH = 'a path';
const PATHS = 'a list of paths';
const MODEL = 'the name of a model';
const RETRIES = `a whole number from 0 to ${MAX_RETRIES}`;
const FILES = `a whole number from 1 to ${MAX_FILES}`;
const STEPS = `a list of 1 to ${MAX_STEPS} steps`;

// Names of flows and steps become names of folders, also where letters' case does not count.
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

function group<const T extends v.ObjectEntries>(entries: T) {
  return v.strictObject(entries, `an object with ${Object.keys(entries).join(', ')}`);
}

export const budgets = group(budgetEntries);

const profile = group({
  budgets: v.optional(v.pipe(budgets, v.description('Sizes of briefings while the profile is chosen.')), {}),
});

const curator = group({
  enabled: v.optional(
    v.pipe(flag, v.description('Let a cheap run say before each step what matters to it.')),
    FLOW_DEFAULTS.curator.enabled,
  ),
  model: v.optional(v.pipe(model, v.description('Its model.')), FLOW_DEFAULTS.curator.model),
  timeoutSeconds: v.optional(
    v.pipe(seconds, v.description('After this time it goes without.')),
    FLOW_DEFAULTS.curator.timeoutSeconds,
  ),
  maxFiles: v.optional(v.pipe(maxFiles, v.description('How many files it may name.')), FLOW_DEFAULTS.curator.maxFiles),
});

const teaching = group({
  notes: v.optional(v.pipe(text, v.description('What is good to know.'))),
  emphasis: v.optional(v.pipe(texts, v.description('What matters most.')), []),
  constraints: v.optional(v.pipe(texts, v.description('What must not be done, or must hold.')), []),
});

const step = group({
  id: v.pipe(name, v.description('Unlike that of any other step; the name of its folder.')),
  agent: v.optional(
    v.pipe(text, v.description('Who does it, for instance test-author: says how much its output counts.')),
  ),
  priority: v.optional(v.pipe(priority, v.description('How much its output counts for later steps, said outright.'))),
  objective: v.optional(
    v.pipe(text, v.description('What the step is for; without a prompt it is asked to reach this.')),
  ),
  inputs: v.optional(v.pipe(paths, v.description('Files it builds on, relative to the working folder.')), []),
  outputs: v.optional(v.pipe(paths, v.description('Files it makes, relative to the working folder.')), []),
  teaching: v.optional(v.pipe(teaching, v.description('What the step must keep in mind; always told whole.')), {}),
  prompt: v.optional(v.pipe(text, v.description('What is asked of it.'))),
  promptFile: v.optional(
    v.pipe(path, v.description("A file with the prompt in the flow's folder, relative to the flow.")),
  ),
  budgets: v.optional(v.pipe(budgets, v.description('Sizes of the briefing of this step.')), {}),
  model: v.optional(v.pipe(model, v.description('Model of claude for this step.'))),
  needs: v.optional(
    v.pipe(
      v.array(v.string('the id of a step'), 'a list of ids of steps'),
      v.description('Steps that must be over before, and whose output it sees; without it all steps above.'),
    ),
  ),
  timeoutSeconds: v.optional(v.pipe(seconds, v.description('After this time the step has failed.'))),
  retries: v.optional(
    v.pipe(retries, v.description('How often it is tried again after a failure.')),
    FLOW_DEFAULTS.step.retries,
  ),
  onFail: v.optional(
    v.pipe(choice(['stop', 'continue']), v.description('Whether the flow ends when the step has failed.')),
    FLOW_DEFAULTS.step.onFail,
  ),
});

/** What a flow file may say. Reading it with `v.parse` fills in the defaults. */
export const flowFileSchema = v.pipe(
  group({
    $schema: v.optional(v.pipe(text, v.description('The JSON Schema for editors; ignored.'))),
    name: v.pipe(name, v.description('Names the folders of runs and receipts.')),
    profile: v.optional(v.pipe(text, v.description('The one of profiles whose budgets hold.'))),
    profiles: v.optional(
      v.pipe(
        v.record(v.string(), profile, 'an object with a profile by each name'),
        v.description('Sizes of briefings by name, to choose from.'),
      ),
      {},
    ),
    budgets: v.optional(v.pipe(budgets, v.description('Sizes of the briefings of all steps.')), {}),
    curator: v.optional(v.pipe(curator, v.description('A cheap run before each step.')), {}),
    priorities: v.optional(
      v.pipe(
        v.record(v.string(), priority, 'an object with a priority by the name of each agent'),
        v.description("How much an agent's output counts, in the place of what is built in."),
      ),
      {},
    ),
    scentTrail: v.optional(
      v.pipe(path, v.description('A file with hints from earlier runs, of which every step is given the beginning.')),
    ),
    steps: v.pipe(
      v.array(step, STEPS),
      v.minLength(1, STEPS),
      v.maxLength(MAX_STEPS, STEPS),
      v.description('The steps, in the order in which they run unless needs say otherwise.'),
    ),
  }),
  v.title('ctxb flow'),
);

/** A flow file that was checked, with its defaults, before it becomes a `Flow`. */
export type FlowFile = v.InferOutput<typeof flowFileSchema>;

/** The keys of each level, with the words for moving a key there. */
export const LEVELS: readonly { readonly keys: readonly string[]; readonly move: string }[] = [
  { keys: Object.keys(budgets.entries), move: 'move it into budgets' },
  { keys: Object.keys(teaching.entries), move: 'move it into teaching' },
  { keys: Object.keys(step.entries), move: 'move it into the step' },
  { keys: Object.keys(flowFileSchema.entries), move: 'move it to the top level of the file' },
];
