import { collected } from './format.ts';

export const json = collected((report) => `${JSON.stringify(report, null, 2)}\n`);
