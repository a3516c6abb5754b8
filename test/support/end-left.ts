import { afterAll } from 'vitest';
import { endLeft } from './claude.ts';

afterAll(endLeft);
