import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceiptItem } from '../../src/flow/pack/receipt.ts';
import type { StepReceipt } from '../../src/flow/run/conduct-flow.ts';
import { CTXB } from './ctxb.ts';

/** Three steps, the second of which has a budget of its own. */
export const STUDIO_FLOW = `# A job for the studio.
name: job
budgets:
  preset: lean # it is small

steps:
  - id: first
    agent: fixer
    objective: Begin.

  # The long one.
  - id: second
    objective: Go on.
    budgets:
      contextBudgetChars: 50000

  - id: third
    objective: End.
`;

/** A folder with a flow file and receipts. */
export interface StudioFolder {
  readonly path: string;
  readonly file: string;
  readonly contextDir: string;
  receipt(step: string, receipt: StepReceipt | string): void;
  remove(): void;
}

export function studioFolder(text = STUDIO_FLOW, name = 'job.yaml'): StudioFolder {
  const path = mkdtempSync(join(tmpdir(), 'ctxb-studio-'));
  const [file, contextDir] = [join(path, name), join(path, '.context')];
  writeFileSync(file, text);
  return {
    path,
    file,
    contextDir,
    receipt(step, receipt) {
      const folder = join(contextDir, 'receipts', 'job');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${step}.json`), typeof receipt === 'string' ? receipt : JSON.stringify(receipt));
    },
    remove: () => rmSync(path, { recursive: true }),
  };
}

export function aReceiptItem(item: Partial<ReceiptItem> = {}): ReceiptItem {
  return {
    step: 'first',
    agent: 'fixer',
    tier: 'MEDIUM',
    classified_by: 'known agent',
    chars: 9_000,
    shown_chars: 5_000,
    outcome: 'cut',
    reason: 'longer than historyOlderChars, 5,000',
    named_by_curator: false,
    ...item,
  };
}

export function aReceipt({
  items = [aReceiptItem()],
  truncated = false,
}: {
  items?: ReceiptItem[];
  truncated?: boolean;
}) {
  const receipt: StepReceipt = {
    version: 1,
    step: 'second',
    flow: 'job',
    run: '20261121T120000-ab12-job',
    context_truncation: {
      steps_included: items.length,
      steps_total: items.length,
      chars_used: 49_000,
      budget_chars: 50_000,
      truncated,
      priority_aware: true,
    },
    note: '',
    whole_chars: 400,
    over_budget_chars: 0,
    items,
    artifacts: [],
    scent_trail: undefined,
    curator: undefined,
    warnings: [],
    budgets: {
      contextBudgetChars: { value: 50_000, source: 'step' },
      historyRecentChars: { value: 30_000, source: 'preset lean (flow)' },
      historyOlderChars: { value: 5_000, source: 'preset lean (flow)' },
    },
    budget_warnings: [],
    curation: undefined,
    measured: {
      exit_code: 0,
      error: undefined,
      first_tokens: 21_000,
      peak_tokens: 48_000,
      calls: 9,
      cost_usd: 0.42,
      duration_ms: 61_000,
      session_id: null,
    },
  };
  return receipt;
}

/** The studio as a program, once it has said its address. */
export async function startStudio({ path }: StudioFolder) {
  const child = spawn(process.execPath, [CTXB, 'flow', 'studio', 'job.yaml'], {
    cwd: path,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])])) as [Buffer | string];
  return {
    url: String(line).trim(),
    /** Presses Ctrl-C; the exit code. */
    end(): Promise<number | null> {
      child.kill('SIGINT');
      return ended;
    },
  };
}
