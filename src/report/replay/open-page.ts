import type { Io } from '../../io.ts';
import { glyphsFor } from '../glyphs.ts';
import { styleFor } from '../style.ts';
import type { Page } from './format.ts';

/** Width of a page that is no terminal. */
const COLUMNS = 80;

/** The page that stdout is. */
export async function openPage({ stdout, env }: Pick<Io, 'stdout' | 'env'>, levels: Page['levels']): Promise<Page> {
  return { style: await styleFor(stdout, env), glyphs: glyphsFor(env), columns: stdout.columns ?? COLUMNS, levels };
}
