import { replayReport } from '../../replay/replay-report.ts';
import { jsonText } from '../json-text.ts';
import { collected } from './format.ts';

export const json = collected(({ sessions }) => `${jsonText(replayReport(sessions), 2)}\n`);
