import * as v from 'valibot';
import { budgetEntries } from '../../config/schema.ts';
import { choice, flag, priority, seconds } from '../../config/values.ts';

/** Maximum number of steps. It keeps packing the briefings cheap; a longer job can be split. */
const MAX_STEPS = 1000;

// The message of each schema names the expected value. Findings quote it.
function matching(pattern: RegExp, expected: string) {
  return v.pipe(v.string(expected), v.regex(pattern, expected));
}

// Names of flows and steps become folder names, even on case-insensitive file systems.
const name = matching(
  /^[A-Za-z0-9][\w-]{0,63}$/,
  'a text of letters, digits, "-" and "_" that begins with a letter or digit, at most 64 long',
);
const text = matching(/\S/, 'a text that is not empty');
const texts = v.array(text, 'a list of texts that are not empty');
const path = matching(/^[^\x00-\x1f\x7f]+$/, 'a path');
const paths = v.array(path, 'a list of paths');
// claude gets it as an argument. A leading dash would make it an option.
const model = matching(/^[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]*$/, 'the name of a model');

function withDescription<const S extends v.GenericSchema>(schema: S, description: string) {
  return v.pipe(schema, v.description(description));
}

function optional<const S extends v.GenericSchema, const D extends v.Default<S, undefined> = undefined>(
  schema: S,
  description: string,
  preset?: D,
) {
  return v.optional(withDescription(schema, description), preset as D);
}

function group<const T extends v.ObjectEntries>(entries: T) {
  return v.strictObject(entries, `an object with ${Object.keys(entries).join(', ')}`);
}

const budgets = group(budgetEntries);

const FILES = 'a whole number from 1 to 200';
const fileCount = v.pipe(v.number(FILES), v.integer(FILES), v.minValue(1, FILES), v.maxValue(200, FILES));

const curator = group({
  enabled: v.exactOptional(
    withDescription(flag, 'Ask a cheap model before each step what matters to it. Default: false.'),
  ),
  model: v.exactOptional(withDescription(model, 'Its model. Default: haiku.')),
  timeoutSeconds: v.exactOptional(withDescription(seconds, 'After this time the step runs without it. Default: 60.')),
  maxFiles: v.exactOptional(withDescription(fileCount, 'How many files it may name. Default: 20.')),
});

export const profile = group({
  budgets: optional(budgets, 'Sizes of briefings under this profile.', {}),
  curator: optional(curator, 'The curator under this profile.', {}),
});

const teaching = group({
  notes: optional(text, 'Useful facts.'),
  emphasis: optional(texts, 'What matters most.', []),
  constraints: optional(texts, 'Rules that the step must follow.', []),
});

const step = group({
  id: withDescription(name, 'Unique in the flow; names the folder of the step.'),
  agent: optional(text, 'Role of the agent, for instance test-author; sets how much its output counts.'),
  priority: optional(priority, 'How much its output counts for later steps. Default: that of its agent.'),
  objective: optional(text, 'Purpose of the step; without a prompt it is the prompt.'),
  inputs: optional(paths, 'Files that the step uses, relative to the working folder.', []),
  outputs: optional(
    paths,
    'Files that the step makes, relative to the working folder. If one is missing, the step fails.',
    [],
  ),
  teaching: optional(teaching, 'Advice for the step; always in the briefing, whole.', {}),
  prompt: optional(text, 'The prompt of the step.'),
  budgets: optional(budgets, 'Sizes of the briefing of this step.', {}),
  curator: optional(curator, 'The curator of this step.', {}),
  model: optional(model, 'Model of claude for this step.'),
  timeoutSeconds: optional(seconds, 'The step fails after this time.'),
  onFail: optional(
    choice(['stop', 'continue']),
    'Whether the flow stops or continues after the step has failed.',
    'stop',
  ),
});

const STEPS = `a list of 1 to ${MAX_STEPS} steps`;
const steps = v.pipe(v.array(step, STEPS), v.minLength(1, STEPS), v.maxLength(MAX_STEPS, STEPS));
const profiles = v.record(v.string(), profile, 'an object with a profile by each name');

/** The schema of a flow file. `v.parse` fills in the defaults. */
export const flowFileSchema = v.pipe(
  group({
    $schema: optional(text, 'The JSON Schema for editors; ignored.'),
    name: withDescription(name, 'Names the folders of its runs.'),
    profile: optional(
      text,
      'The profile: a name in profiles, or the NAME of a file profiles/NAME.yaml next to the flow.',
    ),
    profiles: optional(profiles, 'Budgets and curators by name.', {}),
    budgets: optional(budgets, 'Sizes of the briefings of all steps.', {}),
    curator: optional(curator, 'A cheap model that chooses what matters to each step, and sums up older steps.', {}),
    scentTrail: optional(path, 'A file with hints from earlier runs; every briefing holds its beginning.'),
    steps: withDescription(steps, 'The steps, in their order.'),
  }),
  v.title('ctxb flow'),
);
