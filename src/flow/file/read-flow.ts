import { dirname } from 'node:path';
import { closest, didYouMean, displayed, finding } from '../../config/finding.ts';
import { fieldsOf, isFields, listOf } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import type { Flow } from '../flow.ts';
import { checkText, type Fault } from './check-text.ts';
import { existingProfile, readText } from './flow-files.ts';
import { flowFileSchema, profile as profileSchema } from './flow-schema.ts';

interface FlowChoice {
  readonly profile?: string | undefined;
}

/** Reads a flow from a file. @throws CtxbError `config` with all findings, one per line */
export function readFlow(path: string, choice: FlowChoice = {}): Flow {
  return checkFlow(path, readText(path), choice);
}

/** Like `readFlow`, for a text that the file could have. */
export function checkFlow(path: string, text: string, { profile: asked }: FlowChoice = {}): Flow {
  const folder = dirname(path);
  const { $schema: _, ...flow } = checkText(path, text, flowFileSchema, (data) => {
    const { steps, profile, profiles } = fieldsOf(data);
    const named = asked === undefined ? profileFaults(profile, Object.keys(fieldsOf(profiles)), folder) : [];
    return [...stepFaults(listOf(steps)), ...named];
  });
  const profile = asked ?? flow.profile;
  if (profile === undefined || Object.hasOwn(flow.profiles, profile)) return { ...flow, profile };
  for (const fault of profileFaults(asked, Object.keys(flow.profiles), folder)) {
    const { message } = finding('profile', { ...fault, origin: { source: 'flag', where: '--profile' } });
    throw new CtxbError('config', message);
  }
  const file = existingProfile(folder, profile) ?? '';
  const read = checkText(file, readText(file), profileSchema);
  return { ...flow, profile, profiles: { ...flow.profiles, [profile]: read } };
}

function* stepFaults(steps: readonly unknown[]): Generator<Fault> {
  // Ids that differ only in case would share a folder on a case-insensitive file system.
  const folders = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    if (!isFields(step)) continue;
    const path = ['steps', index];
    const { id } = step;
    const folder = typeof id === 'string' ? id.toLowerCase() : `${index}/`;
    const first = folders.get(folder) ?? index;
    folders.set(folder, first);
    if (first !== index) {
      const found = `${displayed(id)} as in steps[${first}]`;
      yield { path: [...path, 'id'], expected: 'an id unlike that of any other step', found, todo: 'rename one' };
    }
    if (Object.hasOwn(step, 'objective') || Object.hasOwn(step, 'prompt')) continue;
    yield { path, expected: 'objective or prompt', found: 'neither', todo: 'describe the work of the step' };
  }
}

/** Faults of a profile that neither the flow nor a profile file defines. @param names the profiles of the flow */
function profileFaults(profile: unknown, names: readonly string[], folder: string): Fault[] {
  if (typeof profile !== 'string' || names.includes(profile) || existingProfile(folder, profile)) return [];
  const suggestion = closest(profile, names);
  const expected = 'a name in profiles, or the NAME of a file profiles/NAME.yaml next to the flow';
  const todo = didYouMean(suggestion && displayed(suggestion), 'add it there, or name another');
  return [{ path: ['profile'], expected, found: displayed(profile), todo }];
}
