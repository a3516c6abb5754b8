import { replayReport } from '../../replay/replay-report.ts';
import { collected } from './format.ts';

export const json = collected(({ sessions }) => `${JSON.stringify(replayReport(sessions), null, 2)}\n`);
