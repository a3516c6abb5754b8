// test/support/chromium.ts
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import split2 from 'split2';

var NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
var ARGUMENTS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  // Nothing but loopback has an address.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--window-size=1280,900',
  'about:blank',
];
var KEYS = {
  ...{ Tab: 9, Enter: 13, Escape: 27, ArrowDown: 40, ArrowUp: 38, Backspace: 8 },
  ...{ ArrowLeft: 37, ArrowRight: 39, Home: 36, End: 35, PageUp: 33, PageDown: 34, '+': 187, '-': 189, 0: 48 },
};
var MOUSE = { move: 'mouseMoved', press: 'mousePressed', release: 'mouseReleased' };
async function startBrowser() {
  const profile = mkdtempSync(join(tmpdir(), 'ctxb-chromium-'));
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(findBrowser(), [`--user-data-dir=${profile}`, ...root, ...ARGUMENTS], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: profile },
  });
  const [requests, complaints] = [[], []];
  const { send, onEvent } = connect(child);
  onEvent('Network.requestWillBeSent', ({ request }) => requests.push(request.url));
  onEvent('Runtime.exceptionThrown', (params) => complaints.push(JSON.stringify(params)));
  onEvent('Log.entryAdded', ({ entry }) => {
    const { source, text } = entry;
    if (source !== 'network') complaints.push(text);
  });
  onEvent('Page.javascriptDialogOpening', () => void call('Page.handleJavaScriptDialog', { accept: true }));
  const { targetInfos } = await send('Target.getTargets');
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId;
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const call = (method, params = {}) => send(method, params, sessionId);
  for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await call(`${domain}.enable`);
  let isPressed = false;
  async function value(expression) {
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await call('Runtime.evaluate', asked);
    if (exceptionDetails !== void 0) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  }
  async function go(method, params) {
    const loaded = onEvent('Page.loadEventFired', () => {});
    const { loaderId } = await call(method, params);
    if (loaderId !== void 0 || method === 'Page.reload') await loaded;
  }
  return {
    requests,
    complaints,
    value,
    open: (url) => go('Page.navigate', { url }),
    reload: () => go('Page.reload', {}),
    until: (expression) => value(untilTrue(expression)),
    async press(key, { shift = false } = {}) {
      const text = key === 'Enter' ? '\r' : void 0;
      const event = { key, code: key, windowsVirtualKeyCode: KEYS[key], modifiers: shift ? 8 : 0 };
      await call('Input.dispatchKeyEvent', { type: text === void 0 ? 'rawKeyDown' : 'keyDown', ...event, text });
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
      const { data } = await call('Page.captureScreenshot', whole);
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
function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = places.find((place) => existsSync(place));
  if (found === void 0) throw new Error('There is no Chromium on PATH: install it (Debian: apt-get install chromium)');
  return found;
}
function connect(child) {
  const [toBrowser, fromBrowser] = [child.stdio[3], child.stdio[4]];
  const waiting = /* @__PURE__ */ new Map();
  const handlers = /* @__PURE__ */ new Map();
  let count = 0;
  fromBrowser.pipe(split2('\0')).on('data', (text) => {
    const { id, method, params, result, error } = JSON.parse(text);
    if (method !== void 0) for (const handle of handlers.get(method) ?? []) handle(params ?? {});
    const asked = id === void 0 ? void 0 : waiting.get(id);
    if (error === void 0) asked?.resolve(result);
    else asked?.reject(new Error(JSON.stringify(error)));
    waiting.delete(id ?? 0);
  });
  toBrowser.on('error', () => {});
  child.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('The browser has ended'));
  });
  return {
    send(method, params = {}, sessionId) {
      count += 1;
      const id = count;
      toBrowser.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    /** Resolves with the first one. */
    onEvent(method, handle) {
      return new Promise((resolve) => {
        const both = (params) => {
          handle(params);
          resolve();
        };
        handlers.set(method, /* @__PURE__ */ new Set([...(handlers.get(method) ?? []), both]));
      });
    },
  };
}
function untilTrue(expression) {
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

// test/support/studio.ts
import { spawn as spawn2 } from 'node:child_process';
import { once as once2 } from 'node:events';
import { mkdirSync, mkdtempSync as mkdtempSync2, rmSync as rmSync2, writeFileSync as writeFileSync2 } from 'node:fs';
import { tmpdir as tmpdir2 } from 'node:os';
import { join as join2 } from 'node:path';

// test/support/ctxb.ts
import { fileURLToPath } from 'node:url';

var CTXB = fileURLToPath(new URL('../../dist/ctxb.js', import.meta.url));
var SHIM = fileURLToPath(new URL('../../dist/ctxb-shim.js', import.meta.url));

// test/support/studio.ts
var STUDIO_FLOW = `# A job for the studio.
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
    needs: [first]
`;
function studioFolder(text = STUDIO_FLOW, name = 'job.yaml') {
  const path = mkdtempSync2(join2(tmpdir2(), 'ctxb-studio-'));
  const [file, contextDir] = [join2(path, name), join2(path, '.context')];
  writeFileSync2(file, text);
  return {
    path,
    file,
    contextDir,
    receipt(step, receipt) {
      const folder = join2(contextDir, 'receipts', 'job');
      mkdirSync(folder, { recursive: true });
      writeFileSync2(join2(folder, `${step}.json`), typeof receipt === 'string' ? receipt : JSON.stringify(receipt));
    },
    remove: () => rmSync2(path, { recursive: true }),
  };
}
function aReceiptItem(item = {}) {
  return {
    step: 'first',
    agent: 'fixer',
    tier: 'MEDIUM',
    classified_by: 'known agent',
    chars: 9e3,
    shown_chars: 5e3,
    outcome: 'cut',
    reason: 'longer than historyOlderChars, 5,000',
    named_by_curator: false,
    ...item,
  };
}
function aReceipt({ items = [aReceiptItem()], truncated = false }) {
  const receipt = {
    version: 1,
    step: 'second',
    flow: 'job',
    run: '20261121T120000-ab12-job',
    attempt: 1,
    context_truncation: {
      steps_included: items.length,
      steps_total: items.length,
      chars_used: 49e3,
      budget_chars: 5e4,
      truncated,
      priority_aware: true,
    },
    note: '',
    whole_chars: 400,
    over_budget_chars: 0,
    items,
    artifacts: [],
    scent_trail: void 0,
    curator: void 0,
    warnings: [],
    budgets: {
      contextBudgetChars: { value: 5e4, source: 'step' },
      historyRecentChars: { value: 3e4, source: 'preset lean (flow)' },
      historyOlderChars: { value: 5e3, source: 'preset lean (flow)' },
    },
    budget_warnings: [],
    curation: void 0,
    measured: {
      exit_code: 0,
      first_tokens: 21e3,
      peak_tokens: 48e3,
      calls: 9,
      cost_usd: 0.42,
      duration_ms: 61e3,
      session_id: null,
    },
  };
  return receipt;
}
async function startStudio({ path }) {
  const child = spawn2(process.execPath, [CTXB, 'flow', 'studio', 'job.yaml', '--no-open'], {
    cwd: path,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once2(child, 'close').then(([code]) => code);
  const [line] = await Promise.race([once2(child.stdout, 'data'), ended.then(() => [''])]);
  return {
    url: String(line).trim(),
    /** Presses Ctrl-C; the exit code. */
    end() {
      child.kill('SIGINT');
      return ended;
    },
  };
}

// ../flo-shots.ts
import { mkdirSync as mkdirSync2, readFileSync, writeFileSync as writeFileSync3 } from 'node:fs';
import { join as join3 } from 'node:path';

var out = process.argv[2];
mkdirSync2(out, { recursive: true });
var flow = readFileSync('/tmp/w/flo/fixtures/flows/25-steps.yaml', 'utf8');
var b = await startBrowser();
async function shots(tag, text, scheme, w, h) {
  const folder = studioFolder(text);
  folder.receipt(
    'second',
    aReceipt({
      items: [aReceiptItem(), aReceiptItem({ outcome: 'omitted' }), aReceiptItem({ outcome: 'included' })],
      truncated: true,
    }),
  );
  mkdirSync2(join3(folder.path, 'profiles'), { recursive: true });
  writeFileSync3(
    join3(folder.path, 'profiles', 'heavy-context.yaml'),
    'budgets:\n  historyRecentChars: 90000 # much\n',
  );
  writeFileSync3(join3(folder.path, '25-steps-history.md'), 'x');
  const p = await startStudio(folder);
  await b.scheme(scheme);
  await b.size(w, h);
  for (const place of tag === 'job' ? ['flow', 'profile', 'step/first', 'step/second'] : ['flow']) {
    await b.open(p.url + '#' + place);
    await b.reload();
    await b.until(`document.querySelector('svg')`);
    if (place === 'step/second') {
      await b.until("document.querySelector('details')");
      await b.value(`document.querySelector('details').open = true`);
      await b.value(`document.getElementById('field-contextBudgetChars').focus()`);
      await b.value(`document.getElementById('field-contextBudgetChars').select()`);
      await b.type('900000');
      await b.until(`document.getElementById('status').textContent.includes('ceiling')`);
    }
    await b.screenshot(join3(out, `${tag}-${scheme}-${w}-${place.replace('/', '-')}.png`), 'window');
    if (place === 'step/second') {
      await b.until("document.querySelector('details')");
      await b.value(`document.getElementById('review').click()`);
      await b.until(`document.getElementById('dialog').open`);
      await b.screenshot(join3(out, `${tag}-${scheme}-${w}-dialog.png`), 'window');
      writeFileSync3(folder.file, readFileSync(folder.file, 'utf8') + '# x\n');
      await b.press('Enter');
      await b.until(`!document.getElementById('notice').hidden`);
      await b.screenshot(join3(out, `${tag}-${scheme}-${w}-notice.png`), 'window');
    }
  }
  await p.end();
  folder.remove();
}
for (const [scheme, w] of [
  ['light', 1280],
  ['dark', 600],
]) {
  await shots('job', STUDIO_FLOW.replace('name: job', 'name: job\nprofile: heavy-context'), scheme, w, 900);
  await shots('many', flow, scheme, w, 900);
}
await b.close();
