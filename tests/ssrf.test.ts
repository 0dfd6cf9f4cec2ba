import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applicationSchema } from '../server/wire/applications.ts';
import { anApplication } from './support/applications.ts';
import { createResolver, REFUSAL_RESPONSE, redirectTo, startCanary, type Canary } from './support/canary.ts';
import { PRIVATE_HOSTS, LOOPBACK_ADDRESSES, PRIVATE_NAMES, type Addresses } from './support/private-addresses.ts';
import { until } from './support/server-process.ts';
import { startTestPda, type TestPda, type TestPdaOptions } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Submits third-party URLs: the callback of a Data Debit, the status URL of an application, and a logo. A listener on
// every address of this machine must not be reached, except in development mode.

let canary: Canary;
let port: number;

beforeAll(async () => {
  canary = await startCanary();
  ({ port } = canary);
});
afterAll(() => {
  canary.close();
});

let pda: TestPda;
let lookups: string[] = [];
beforeEach(() => {
  canary.connections = 0;
  lookups = [];
  canary.response = REFUSAL_RESPONSE;
});
afterEach(() => pda.close());

/** Starts a PDA with a fake DNS resolver. */
const start = async (
  names: Record<string, () => Addresses>,
  options: TestPdaOptions & { allowLoopback?: boolean } = {},
) => {
  const { allowLoopback = false, ...pdaOptions } = options;
  const resolve = createResolver(
    (host) => void lookups.push(host),
    (host) => names[host.replace(/\.$/u, '')],
  );
  pda = await startTestPda({ ...pdaOptions, network: { allowLoopback, resolve } });
};

const proposalWith = (key: string, url: string): object => ({
  dataDebitKey: key,
  bundle: { name: key, bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } } },
  start: '2026-01-15T12:00:00.000Z',
  period: 86_400,
  purpose: 'To look inside',
  cancelAtPeriodEnd: false,
  termsUrl: 'https://example.com/terms',
  requestClientName: 'Another',
  requestClientUrl: 'https://example.com/',
  requestClientLogoUrl: 'https://example.com/logo.png',
  requestClientCallbackUrl: url,
});

let proposalCount = 0;

/** Each function makes the PDA connect to the URL, if permitted, and resolves after the attempt. */
const ENTRY_POINTS = {
  async callback(url: string): Promise<void> {
    const key = `key-${(proposalCount += 1)}`;
    const reply = await pda.call('POST', `/api/v2.6/data-debit/${key}`, { json: proposalWith(key, url) });
    expect([url, [201, 400].includes(reply.status)]).toStrictEqual([url, true]);
    if (reply.status === 400) return;
    await until(() => {
      const webhooks = pda.pda.outbox.list().filter((row) => row.orderingKey === key);
      return webhooks.every((row) => row.state === 'dead' || row.attempts > 0);
    }, `the webhook to ${url} was tried`);
  },
  async logo(url: string): Promise<void> {
    const reply = await pda.call('GET', `/api/v2.6/owner/picture?url=${encodeURIComponent(url)}`);
    expect([url, [400, 404].includes(reply.status)]).toStrictEqual([url, true]);
  },
};

const withStatus = (id: string, statusUrl: string) =>
  anApplication({ id, status: { kind: 'External', statusUrl, expectedStatus: 200 } });

/** Starts a PDA with one application per URL, except for URLs that the schema refuses. @returns the application ids */
const startWithStatus = async (
  urls: readonly string[],
  names: Record<string, () => Addresses>,
  allowLoopback = false,
): Promise<string[]> => {
  const applications = urls
    .map((url, index) => withStatus(`app-${index}`, url))
    .filter((application) => applicationSchema.safeParse(application).success);
  await start(names, { config: { applications }, allowLoopback });
  return applications.map((application) => application.id);
};
const checkStatus = async (id: string): Promise<void> => {
  expect((await pda.call('GET', `/api/v2.6/applications/${id}/setup`)).status).toBe(200);
  const reply = await pda.call('GET', `/api/v2.6/applications/${id}`);
  expect(reply.json).toMatchObject({ setup: true, active: false });
};

/** Builds URLs with alternating schemes, because the scheme rarely matters; `npm run test:long` uses both. */
const withSchemes = (hosts: readonly string[]): string[] =>
  IS_THOROUGH_RUN
    ? hosts.flatMap((host) => [`http://${host}:${port}/`, `https://${host}:${port}/`])
    : hosts.map((host, index) => `${index % 2 === 0 ? 'http' : 'https'}://${host}:${port}/`);

const urlsByAddress = (): string[] => withSchemes(PRIVATE_HOSTS);

const unsupportedUrls = (): string[] => [
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_x`,
  `ws://127.0.0.1:${port}/`,
  `dict://127.0.0.1:${port}/x`,
  'file:///etc/passwd',
  'data:text/plain,x',
  'javascript:fetch("/")',
  'unix:/tmp/socket',
  `//127.0.0.1:${port}/`,
  `http:/\\127.0.0.1:${port}/`,
  `http://example.com\\@127.0.0.1:${port}/`,
  'http://example.com:22/',
  'http://example.com:6667/',
];

const urlsByName = (): string[] =>
  withSchemes(Object.keys(PRIVATE_NAMES).flatMap((name) => [name, `${name}.`, name.toUpperCase()]));

describe.each(Object.entries(ENTRY_POINTS))('a PDA with a third-party %s URL (SSRF)', (_, entryPoint) => {
  it('reaches an address of this machine in development mode, which shows that the canary works', async () => {
    await start({ 'loopback.example': () => LOOPBACK_ADDRESSES }, { allowLoopback: true });
    await entryPoint(`http://127.0.0.1:${port}/`);
    expect(canary.connections).toBe(1);
    await entryPoint(`http://loopback.example:${port}/`);
    expect(canary.connections).toBe(2);
  });

  it('refuses private addresses in many notations', async () => {
    await start({});
    await Promise.all(urlsByAddress().map((url) => entryPoint(url)));
    expect([canary.connections, lookups]).toStrictEqual([0, []]);
  });

  it('refuses other schemes, ports of other protocols, and malformed URLs', async () => {
    await start({ 'example.com': () => LOOPBACK_ADDRESSES });
    await Promise.all(unsupportedUrls().map((url) => entryPoint(url)));
    expect(canary.connections).toBe(0);
  });

  it('refuses names that resolve to private addresses', async () => {
    await start(PRIVATE_NAMES);
    await Promise.all(urlsByName().map((url) => entryPoint(url)));
    expect(canary.connections).toBe(0);
    // Proves that no name was refused for another reason: each was resolved. `localhost` is this machine by
    // definition (RFC 6761).
    expect(new Set([...lookups.map((name) => name.replace(/\.$/u, '')), 'localhost'])).toStrictEqual(
      new Set(Object.keys(PRIVATE_NAMES)),
    );
  });

  it('checks the resolved address at each connection and connects to the checked address', async () => {
    const responses: Addresses[] = [
      LOOPBACK_ADDRESSES,
      [{ address: '0.0.0.0', family: 4 }],
      [{ address: '10.0.0.1', family: 4 }],
    ];
    // Loopback replaces the public address, so that no request leaves this machine. 0.0.0.0 is this machine, too.
    await start({ 'rebinding.example': () => responses[lookups.length - 1] ?? [] }, { allowLoopback: true });
    await entryPoint(`http://rebinding.example:${port}/a`);
    expect([canary.connections, lookups.length]).toStrictEqual([1, 1]);
    await entryPoint(`http://rebinding.example:${port}/b`);
    await entryPoint(`http://rebinding.example:${port}/c`);
    expect([canary.connections, lookups.length]).toStrictEqual([1, 3]);
  });

  it('follows no redirects', async () => {
    await start({}, { allowLoopback: true });
    for (const [index, status] of [301, 302, 303, 307, 308].entries()) {
      canary.response = redirectTo(port, status);
      await entryPoint(`http://127.0.0.1:${port}/${status}`);
      expect(canary.connections).toBe(index + 1);
    }
  });
});

describe('a PDA with the status URL of a third-party application (SSRF)', () => {
  it('reaches an address of this machine in development mode', async () => {
    const [id = ''] = await startWithStatus([`http://127.0.0.1:${port}/`], {}, true);
    await checkStatus(id);
    expect(canary.connections).toBe(1);
  });

  it('refuses private addresses, names that resolve to them, and unsupported URLs', async () => {
    const ids = await startWithStatus([...urlsByAddress(), ...unsupportedUrls(), ...urlsByName()], {
      ...PRIVATE_NAMES,
      'example.com': () => LOOPBACK_ADDRESSES,
    });
    expect(ids.length).toBeGreaterThan(60);
    await Promise.all(ids.map((id) => checkStatus(id)));
    expect(canary.connections).toBe(0);
    // Proves that no name was refused for another reason: each was resolved. `localhost` is this machine by
    // definition (RFC 6761).
    const lookedUpNames = new Set([...lookups.map((name) => name.replace(/\.$/u, '')), 'localhost']);
    expect(Object.keys(PRIVATE_NAMES).filter((name) => !lookedUpNames.has(name))).toStrictEqual([]);
  });

  it('checks the resolved address at each connection', async () => {
    const responses: Addresses[] = [LOOPBACK_ADDRESSES, [{ address: '0.0.0.0', family: 4 }]];
    const [id = ''] = await startWithStatus(
      [`https://rebinding.example:${port}/`],
      { 'rebinding.example': () => responses[lookups.length - 1] ?? [] },
      true,
    );
    await checkStatus(id);
    expect([canary.connections, lookups.length]).toStrictEqual([1, 1]);
    pda.clock.advance(10 * 60_000);
    await checkStatus(id);
    expect([canary.connections, lookups.length]).toStrictEqual([1, 2]);
  });

  it('follows no redirects', async () => {
    const [id = ''] = await startWithStatus([`http://127.0.0.1:${port}/`], {}, true);
    canary.response = redirectTo(port, 302);
    await checkStatus(id);
    expect(canary.connections).toBe(1);
  });
});
