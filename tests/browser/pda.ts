import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type Locator, type Page, test as base, expect } from '@playwright/test';
import type { HostResponse, HostRequest } from './pda-host.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';
import { ROOT } from '../support/paths.ts';
import { MAX_RECORDS_PER_REQUEST } from '../../server/wire/limits.ts';

// A real PDA for a browser test, with its own home. All PDAs of a worker run in one process: `pda-host.ts`.

/** Timeout of a request to the host. Its first start of a PDA compiles all sources, while other workers do the same. */
const HOST_TIMEOUT_MS = 60_000;
/** Number of characters from the end of the log to include in a failure. */
const LOG_TAIL_CHARS = 20_000;

export const NAME = 'ada';
export const PASSWORD = 'correct horse battery staple';

export function dataSetPath(name: string): string {
  return join(ROOT, 'node_modules/vega-datasets/data', name);
}

export class Pda {
  readonly url: string;
  readonly setupUrl: string;
  readonly home: string;
  private readonly restart: (config: Config) => Promise<void>;
  private token = '';

  constructor(url: string, setupUrl: string, home: string, restart: (config: Config) => Promise<void>) {
    this.home = home;
    this.url = url;
    this.setupUrl = setupUrl;
    this.restart = restart;
  }

  /** Restarts the PDA with a different `config.json`. Its address and all tokens stay valid. */
  configure(config: Config): Promise<void> {
    return this.restart(config);
  }

  /** Sends a request and returns the body of the response as text. @throws Error if the request fails */
  async fetchText(method: string, path: string, body?: unknown): Promise<string> {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(this.token === '' ? {} : { 'x-auth-token': this.token }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }

  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    return JSON.parse(await this.fetchText(method, path, body)) as unknown;
  }

  currentToken(): string {
    return this.token;
  }

  async setUp(): Promise<string> {
    const code = new URL(this.setupUrl.replace('/#/', '/')).searchParams.get('code');
    const setupReply = (await this.call('POST', '/api/v2.6/owner/setup', { code, name: NAME, password: PASSWORD })) as {
      accessToken: string;
    };
    this.token = setupReply.accessToken;
    return setupReply.accessToken;
  }

  async signIn(): Promise<void> {
    const headers = { username: NAME, password: encodeURIComponent(PASSWORD) };
    const response = await fetch(`${this.url}/users/access_token`, { headers });
    const { accessToken } = (await response.json()) as { accessToken?: string };
    if (accessToken === undefined) throw new Error(`The owner could not sign in: ${response.status}`);
    this.token = accessToken;
  }

  store(endpoint: string, records: unknown): Promise<unknown> {
    return this.call('POST', `/api/v2.6/data/${endpoint}`, records);
  }

  /** Stores the records of a data set, in requests of at most MAX_RECORDS_PER_REQUEST records. */
  async storeDataSet(endpoint: string, name: string): Promise<void> {
    const records = JSON.parse(await readFile(dataSetPath(name), 'utf8')) as unknown[];
    for (let offset = 0; offset < records.length; offset += MAX_RECORDS_PER_REQUEST)
      await this.store(endpoint, records.slice(offset, offset + MAX_RECORDS_PER_REQUEST));
  }

  /** Opens the dashboard with the owner signed in. */
  async enter(page: Page, path = '/'): Promise<void> {
    await page.addInitScript((token) => {
      // The frame of the browser's PDF viewer has no storage.
      if (window.top !== window || sessionStorage.getItem('entered') !== null) return;
      sessionStorage.setItem('entered', 'yes');
      sessionStorage.setItem('pda-token', token);
    }, this.token);
    await page.goto(`${this.url}/#${path}`);
  }
}

/** Content of `config.json`. `test.use({ config: { applications: […] } })` sets the initial one. */
export type Config = Readonly<Record<string, unknown>>;

interface Server {
  url: string;
  /** Present only before the setup. */
  setupUrl: string | undefined;
  end: () => Promise<void>;
}

/** The process that runs the PDAs of one worker: `pda-host.ts`. */
interface Host {
  open: (home: string, port: number) => Promise<Server>;
  stop: () => Promise<void>;
}

function startHost(): Host {
  const child = spawn(join(ROOT, 'node_modules/.bin/node'), [join(ROOT, 'tests/browser/pda-host.ts')], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-LOG_TAIL_CHARS);
  });
  let lastId = 0;
  const sendRequest = (request: HostRequest, id: number): Promise<HostResponse> =>
    new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(`${reason}:\n${output}`));
      const timer = setTimeout(() => fail('The server did not respond'), HOST_TIMEOUT_MS);
      const onExit = () => fail('The server exited');
      const onMessage = (response: HostResponse) => {
        if (response.id !== id) return;
        clearTimeout(timer);
        child.off('exit', onExit).off('message', onMessage);
        if ('problem' in response) fail(response.problem);
        else resolve(response);
      };
      child.on('exit', onExit).on('message', onMessage);
      child.send(request);
    });
  return {
    async open(home, port) {
      const id = (lastId += 1);
      const response = await sendRequest({ open: { id, home, port } }, id);
      if (!('url' in response)) throw new Error('The server stopped before it was ready');
      return {
        url: response.url,
        setupUrl: response.setupUrl,
        end: async () => {
          await sendRequest({ close: id }, id);
        },
      };
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Starts a PDA in a new folder: a copy of `homeToCopy`, or a PDA that is not set up. */
async function startPda(
  host: Host,
  config: Config,
  homeToCopy?: string,
): Promise<{ pda: Pda; home: string; end: () => Promise<void>; stop: () => Promise<void> }> {
  if (!existsSync(join(ROOT, 'renderer/dashboard/dist/index.html')))
    throw new Error('Build the dashboard first: npm run build');
  const folder = await mkdtemp(join(tmpdir(), 'pda-browser-'));
  const home = join(folder, 'pda');
  await (homeToCopy === undefined ? mkdir(home, { mode: 0o700 }) : cp(homeToCopy, home, { recursive: true }));
  const configure = (nextConfig: Config) => writeFile(join(home, 'config.json'), JSON.stringify(nextConfig));
  await configure(config);
  let server = await host.open(home, 0);
  const { url, setupUrl = '' } = server;
  const end = () => server.end();
  const restart = async (newConfig: Config) => {
    await end();
    await configure(newConfig);
    server = await host.open(home, Number(new URL(url).port));
  };
  return {
    pda: new Pda(url, setupUrl, home, restart),
    home,
    end,
    stop: async () => {
      await end();
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
  };
}

/** Closes the pages before their PDA stops. A page that is still loading a chart would report an irrelevant error. */
const closePages = async (context: BrowserContext): Promise<void> => {
  await Promise.all(context.pages().map((page) => page.close()));
};

/** `newPda` is not set up yet; `pda` is set up and empty. A test fails if its `page` logs or throws an error. */
export const test = base.extend<
  { config: Config; newPda: Pda; pda: Pda; failOnErrors: undefined },
  { host: Host; setUpHome: string }
>({
  config: [{}, { option: true }],
  newPda: async ({ config, context, host }, use) => {
    const { pda, stop } = await startPda(host, config);
    await use(pda);
    await closePages(context);
    await stop();
  },
  host: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
    async ({}, use) => {
      const host = startHost();
      await use(host);
      await host.stop();
    },
    { scope: 'worker' },
  ],
  // The setup creates keys and hashes the password, which takes longer than most tests. Each worker does it once and
  // copies the result.
  setUpHome: [
    async ({ host }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'pda-browser-'));
      const home = join(folder, 'set-up');
      const { pda, home: newHome, end, stop } = await startPda(host, {});
      await pda.setUp();
      await pda.call('DELETE', '/users/access_token');
      await end();
      await cp(newHome, home, { recursive: true });
      await stop();
      await use(home);
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  pda: async ({ config, context, host, setUpHome }, use) => {
    const { pda, stop } = await startPda(host, config, setUpHome);
    await pda.signIn();
    await use(pda);
    await closePages(context);
    await stop();
  },
  failOnErrors: [
    async ({ page }, use) => {
      const faults: string[] = [];
      /** URLs of requests that a navigation cancelled. */
      const cancelledUrls = new Set<string>();
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('requestfailed', (request) => {
        if (request.failure()?.errorText === 'net::ERR_ABORTED') cancelledUrls.add(request.url());
      });
      page.on('console', (message) => {
        // The browser logs every response with status 400 or above. Tests check these themselves.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          faults.push(message.text());
      });
      await use(undefined);
      // On a navigation, the previous page reports the modules whose loading was cancelled.
      const isCancelled = (fault: string): boolean => [...cancelledUrls].some((url) => fault.includes(url));
      expect(faults.filter((fault) => !isCancelled(fault))).toEqual([]);
    },
    { auto: true },
  ],
});

export const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;

export { expect };

/** Waits until a server responds at a port. A PDA responds at its own port before its public port is open. */
export async function waitForPort(port: number): Promise<void> {
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
}

/** Returns the notification with the text. The page or a closing dialog can contain the same text. */
export const notice = (page: Page, text: string): Locator => page.getByRole('alert').filter({ hasText: text });

const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const WIDE_VIEWPORT = { width: 1440, height: 900 };
const NARROW_VIEWPORT = { width: 390, height: 844 };

const AXE_SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Returns the violations that axe finds in the elements that match the selector. Frames, such as the preview of a PDF,
 * are not checked. axe is injected once per page: @axe-core/playwright would send half a megabyte for each check.
 */
async function findViolations(page: Page, selector: string): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE_SCRIPT);
  return page.evaluate(
    async ({ scope, tags }) => {
      const { axe } = window as unknown as { axe: typeof import('axe-core') };
      const result = await axe.run(scope, {
        runOnly: { type: 'tag', values: tags },
        resultTypes: ['violations'],
        iframes: false,
      });
      return result.violations.map(({ id, nodes }) => {
        const details = nodes.map(({ target, any, all, none }) => {
          const [check] = [...any, ...all, ...none];
          return `${String(target)} (${check?.message ?? ''})`;
        });
        return `${id}: ${details.join(' | ')}`;
      });
    },
    { scope: selector, tags: AXE_TAGS },
  );
}

async function waitForAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (;;) {
      // A new element is rendered once before its animation starts, and an inherited colour transition passes from
      // one level of elements to the next.
      await frame();
      await frame();
      const endingAnimations = document
        .getAnimations()
        .filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
      if (endingAnimations.length === 0) return;
      await Promise.allSettled(endingAnimations.map(({ finished }) => finished));
    }
  });
}

async function expectNoViolations(
  page: Page,
  screen: string,
  selector: string,
  viewport: typeof WIDE_VIEWPORT,
  colorScheme: 'light' | 'dark',
): Promise<void> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
  // axe reports an error if no element matches the selector.
  await expect(page.locator(selector).filter({ visible: true }).first()).toBeVisible();
  await waitForAnimations(page);
  // Colour transitions may still be running, so only persistent violations count.
  await expect
    .poll(() => findViolations(page, selector), {
      message: `${screen}, ${colorScheme}, ${viewport.width} wide`,
      intervals: [300, 1000],
      timeout: 60_000,
    })
    .toEqual([]);
}

/** Selector of dialogs, to check a dialog without the page behind it. */
export const DIALOG = '[role=dialog]';

/** Returns true for about half of all names. The result for a name is always the same. */
const hasEvenSum = (name: string): boolean => {
  let sum = 0;
  for (const char of name) sum += char.codePointAt(0) ?? 0;
  return sum % 2 === 0;
};

/**
 * Expects that axe reports no violations in one variant of the page: narrow and dark, or wide and light. The name of
 * the test selects the variant, because each switch between them renders the page again. Thorough runs check both.
 */
export async function expectAccessible(page: Page, screen: string, selector = 'html'): Promise<void> {
  const isDark = hasEvenSum(test.info().title);
  if (IS_THOROUGH_RUN || isDark) await expectNoViolations(page, screen, selector, NARROW_VIEWPORT, 'dark');
  // Later steps of a test expect a wide page.
  await page.setViewportSize(WIDE_VIEWPORT);
  if (IS_THOROUGH_RUN || !isDark) await expectNoViolations(page, screen, selector, WIDE_VIEWPORT, 'light');
}

/** Expects that axe reports no violations on a page that is not part of the dashboard, in both colour schemes. */
export async function expectPlainPageAccessible(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findViolations(page, 'html'), `${screen}, ${colorScheme}`).toEqual([]);
  }
}

/**
 * In thorough runs, checks the two variants that `expectAccessible` does not: narrow and light, wide and dark. Meant
 * for pages that show many parts of the layout and the palette. Does nothing in other runs.
 */
export async function expectAccessibleInExtraVariants(page: Page, screen: string, selector = 'html'): Promise<void> {
  if (!IS_THOROUGH_RUN) return;
  await expectNoViolations(page, screen, selector, NARROW_VIEWPORT, 'light');
  await expectNoViolations(page, screen, selector, WIDE_VIEWPORT, 'dark');
}
