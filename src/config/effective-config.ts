import { DEFAULTS } from './defaults.ts';
export async function effectiveConfig(_: unknown) { return { ...DEFAULTS }; }
