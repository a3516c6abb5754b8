import { dirname } from 'node:path';
import { closest, didYouMean, shown } from '../../config/finding.ts';
import { type Fields, fieldsOf, isFields, listOf } from '../../core/protocol/fields.ts';
import type { Flow } from '../flow.ts';
import { checkText, type Fault } from './check-text.ts';
import { existingProfile, readText } from './flow-files.ts';
import { flowFileSchema, profile as profileSchema } from './flow-schema.ts';

interface FlowChoice {
  /** Overrides the profile that the flow names. */
  readonly profile?: string | undefined;
}

/**
 * Reads a flow file.
 *
 * @throws CtxbError `config` with all findings, one per line
 */
export function readFlow(path: string, choice: FlowChoice = {}): Flow {
  return checkFlow(path, readText(path), choice);
}

/** Like `readFlow`, for a text that the file could have. */
export function checkFlow(path: string, text: string, { profile: asked }: FlowChoice = {}): Flow {
  const folder = dirname(path);
  const { $schema: _, ...flow } = checkText(path, text, flowFileSchema, (data) => [
    ...stepFaults(listOf(fieldsOf(data).steps)),
    ...profileFaults(fieldsOf(data), folder, asked),
  ]);
  const profile = asked ?? flow.profile;
  if (profile === undefined || Object.hasOwn(flow.profiles, profile)) return { ...flow, profile };
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
      const found = `${shown(id)} as in steps[${first}]`;
      yield { path: [...path, 'id'], expected: 'an id unlike that of any other step', found, todo: 'rename one' };
    }
    if (Object.hasOwn(step, 'objective') || Object.hasOwn(step, 'prompt')) continue;
    yield { path, expected: 'objective or prompt', found: 'neither', todo: 'describe the work of the step' };
  }
}

/** A profile that neither the flow nor a profile file defines. @param asked the profile that `--profile` names */
function* profileFaults({ profile, profiles }: Fields, folder: string, asked: string | undefined): Generator<Fault> {
  const name = asked ?? profile;
  const names = Object.keys(fieldsOf(profiles));
  if (typeof name !== 'string' || names.includes(name) || existingProfile(folder, name) !== undefined) return;
  const suggestion = closest(name, names);
  yield {
    path: [asked === undefined ? 'profile' : '--profile'],
    expected: 'a name in profiles, or the NAME of a file profiles/NAME.yaml next to the flow',
    found: shown(name),
    todo: didYouMean(suggestion && shown(suggestion), 'add it there, or name another'),
  };
}
