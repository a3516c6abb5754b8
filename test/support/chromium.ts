import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import split2 from 'split2';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

const ARGUMENTS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  // Only 127.0.0.1 resolves.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--window-size=1280,900',
  'about:blank',
];

/** A headless browser with one page, driven over the DevTools protocol. */
export interface Browser {
  /** Addresses of all that was asked for, in order. */
  readonly requests: readonly string[];
  /** Console output and errors of the page. */
  readonly complaints: readonly string[];
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** The value of an expression, or of the promise that it gives. */
  value<T>(expression: string): Promise<T>;
  /** Waits until an expression is true; it is asked again whenever anything in the page changes. */
  until(expression: string): Promise<void>;
  /** Presses and releases a key, as on a keyboard. */
  press(key: Key, modifiers?: { readonly shift?: boolean }): Promise<void>;
  /** Types a text where the focus is. */
  type(text: string): Promise<void>;
  /** Moves the mouse, presses its left button or releases it, in pixels of the window. */
  mouse(kind: 'move' | 'press' | 'release', x: number, y: number): Promise<void>;
  /** Touches a place with a finger and lifts it, in pixels of the window. */
  tap(x: number, y: number): Promise<void>;
  scheme(name: 'light' | 'dark'): Promise<void>;
  /** The size of the page's window. */
  size(width: number, height: number): Promise<void>;
  /** Of the whole page, or of what of it is in the window. */
  screenshot(file: string, part?: 'page' | 'window'): Promise<void>;
  close(): Promise<void>;
}

const KEYS = {
  ...{ Tab: 9, Enter: 13, Escape: 27, ArrowDown: 40, ArrowUp: 38, Backspace: 8 },
  ...{ ArrowLeft: 37, ArrowRight: 39, Home: 36, End: 35, PageUp: 33, PageDown: 34, '+': 187, '-': 189, '0': 48 },
} as const;

const MOUSE = { move: 'mouseMoved', press: 'mousePressed', release: 'mouseReleased' } as const;

export type Key = keyof typeof KEYS;

type Message = Readonly<Record<string, unknown>> & { id?: number; method?: string; params?: Record<string, unknown> };

export async function startBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'ctxb-chromium-'));
  // The sandbox of the browser refuses to work for root.
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(findBrowser(), [`--user-data-dir=${profile}`, ...root, ...ARGUMENTS], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: profile },
  });
  const [requests, complaints]: [string[], string[]] = [[], []];
  const { send, onEvent } = connect(child);
  onEvent('Network.requestWillBeSent', ({ request }) => requests.push((request as { url: string }).url));
  onEvent('Runtime.exceptionThrown', (params) => complaints.push(JSON.stringify(params)));
  onEvent('Log.entryAdded', ({ entry }) => {
    const { source, text } = entry as { source: string; text: string };
    // A refusal by the server is for the page to judge.
    if (source !== 'network') complaints.push(text);
  });
  onEvent('Page.javascriptDialogOpening', () => void call('Page.handleJavaScriptDialog', { accept: true }));
  const { targetInfos } = (await send('Target.getTargets')) as { targetInfos: { type: string; targetId: string }[] };
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId;
  const { sessionId } = (await send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string };
  const call = (method: string, params: object = {}) => send(method, params, sessionId);
  for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await call(`${domain}.enable`);

  let isPressed = false;

  async function value<T>(expression: string): Promise<T> {
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = (await call('Runtime.evaluate', asked)) as Evaluated;
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return result.value as T;
  }

  async function go(method: string, params: object): Promise<void> {
    const loaded = onEvent('Page.loadEventFired', () => {});
    const { loaderId } = (await call(method, params)) as { loaderId?: string };
    // Going to another place in the same page loads nothing.
    if (loaderId !== undefined || method === 'Page.reload') await loaded;
  }

  return {
    requests,
    complaints,
    value,
    open: (url) => go('Page.navigate', { url }),
    reload: () => go('Page.reload', {}),
    until: (expression) => value(untilTrue(expression)),
    async press(key, { shift = false } = {}) {
      const text = key === 'Enter' ? '\r' : undefined;
      const event = { key, code: key, windowsVirtualKeyCode: KEYS[key], modifiers: shift ? 8 : 0 };
      await call('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...event, text });
      await call('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    },
    type: async (text) => void (await call('Input.insertText', { text })),
    async mouse(kind, x, y) {
      isPressed = kind === 'press' || (kind === 'move' && isPressed);
      const buttons = isPressed ? 1 : 0;
      const button = kind === 'move' && !isPressed ? 'none' : 'left';
      await call('Input.dispatchMouseEvent', { type: MOUSE[kind], x, y, button, buttons, clickCount: 1 });
    },
    async tap(x, y) {
      await call('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      await call('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    },
    async size(width, height) {
      const mobile = width < 600;
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile });
      await call('Emulation.setTouchEmulationEnabled', { enabled: mobile });
    },
    async scheme(name) {
      const features = [{ name: 'prefers-color-scheme', value: name }];
      await call('Emulation.setEmulatedMedia', { features });
    },
    async screenshot(file, part = 'page') {
      const whole = { captureBeyondViewport: part === 'page' };
      const { data } = (await call('Page.captureScreenshot', whole)) as { data: string };
      writeFileSync(file, Buffer.from(data, 'base64'));
    },
    async close() {
      const closed = once(child, 'close');
      void send('Browser.close').catch(() => {});
      await closed;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface Evaluated {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: unknown;
}

function findBrowser(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = places.find((place) => existsSync(place));
  if (found === undefined)
    throw new Error('There is no Chromium on PATH: install it (Debian: apt-get install chromium)');
  return found;
}

/** Messages are JSON with a zero behind each; the browser reads them from its descriptor 3 and writes to 4. */
function connect(child: ChildProcess) {
  const [toBrowser, fromBrowser] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  const handlers = new Map<string, Set<(params: Record<string, unknown>) => void>>();
  let count = 0;
  fromBrowser.pipe(split2('\0')).on('data', (text: string) => {
    const { id, method, params, result, error } = JSON.parse(text) as Message;
    if (method !== undefined) for (const handle of handlers.get(method) ?? []) handle(params ?? {});
    const asked = id === undefined ? undefined : waiting.get(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(JSON.stringify(error)));
    waiting.delete(id ?? 0);
  });
  toBrowser.on('error', () => {});
  child.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('The browser has ended'));
  });
  return {
    send(method: string, params: object = {}, sessionId?: string): Promise<unknown> {
      count += 1;
      const id = count;
      toBrowser.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    /** Resolves with the first one. */
    onEvent(method: string, handle: (params: Record<string, unknown>) => void): Promise<void> {
      return new Promise((resolve) => {
        const both = (params: Record<string, unknown>) => {
          handle(params);
          resolve();
        };
        handlers.set(method, new Set([...(handlers.get(method) ?? []), both]));
      });
    },
  };
}

function untilTrue(expression: string): string {
  return `new Promise((resolve) => {
    const check = () => {
      if (!(${expression})) return;
      observer.disconnect();
      for (const name of EVENTS) removeEventListener(name, check, true);
      resolve();
    };
    const EVENTS = ['focusin', 'input', 'hashchange'];
    const observer = new MutationObserver(check);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (const name of EVENTS) addEventListener(name, check, true);
    check();
  })`;
}
