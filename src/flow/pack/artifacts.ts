import { codePoints } from '../../governor/gauge/token-estimate.ts';
import { fenced, quoted } from '../../memory/words.ts';
import { costOf, fitted, grouped, head } from './characters.ts';
import { outcomeOf, type PackReceipt } from './receipt.ts';
import { CUT_MARKER } from './step-block.ts';

/** Longer than any path that a system takes. */
const PATH_LENGTH = 4_096;

/** Code points of the scent trail that are shown. */
const SCENT_LENGTH = 2_000;

/** A part of a pack that may take a share of it; without text where nothing of it is shown. */
interface SharedPart {
  readonly text: string;
  /** What is set aside for it: never less than it takes, and growing no faster than the share. */
  readonly reserved: number;
}

export interface ArtifactList extends SharedPart {
  /** How many of the paths are shown, from the first; the rest had no room. */
  readonly shown: number;
}

export interface ScentTrail extends SharedPart {
  /** undefined: there is none. */
  readonly receipt: PackReceipt['scent_trail'];
}

/** The files of earlier steps, by path alone: what is in them the step reads for itself. */
export function artifactList(paths: readonly string[], room: number): ArtifactList {
  if (paths.length === 0) return { text: '', reserved: 0, shown: 0 };
  let text = '## Upstream artifacts\n';
  let cost = costOf(text);
  let shown = 0;
  for (const path of paths) {
    const line = `\n- ${quoted(path, PATH_LENGTH)}`;
    cost += codePoints(line);
    if (cost > room) break;
    text += line;
    shown++;
  }
  // What is left of the share after a path that did not fit is not given away: a larger budget would take it back.
  const reserved = Math.min(cost, room);
  return { text: shown > 0 ? text : '', reserved, shown };
}

/** Hints of earlier runs, in a fence: they are as little trusted as any output. */
export function scentTrail(trail: string, room: number): ScentTrail {
  if (trail.trim() === '') return { text: '', reserved: 0, receipt: undefined };
  const chars = codePoints(trail);
  const render = (limit: number) => {
    const marker = limit < chars ? `\n${CUT_MARKER} ${grouped(limit)} of ${grouped(chars)} characters` : '';
    const text = `## Scent trail\n\n${fenced(head(trail, limit))}${marker}`;
    return { text, cost: costOf(text), shown: limit };
  };
  const most = Math.min(chars, SCENT_LENGTH);
  const { text = '', shown = 0 } = fitted(render, { most, least: 1, room }) ?? {};
  return {
    text,
    reserved: Math.min(render(most).cost, room),
    receipt: { chars, shown_chars: shown, outcome: outcomeOf(text === '' ? undefined : shown, chars) },
  };
}
