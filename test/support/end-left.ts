import { afterAll, beforeEach } from 'vitest';
import { endLeft, tellLeft } from './claude.ts';

beforeEach(({ onTestFailed }) => onTestFailed(tellLeft));
afterAll(endLeft);
