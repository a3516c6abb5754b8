import { replayReport } from '../../replay/replay-report.ts';
import { printableJson } from '../printable-json.ts';
import { collected } from './format.ts';

export const json = collected(({ sessions }) => `${printableJson(replayReport(sessions), 2)}\n`);
