import { setTimeout as sleep } from 'node:timers/promises';
import { runToCompletion, startProcess, type BenchmarkProcess } from './processes.ts';

export const NAME = 'bench';
export const PASSWORD = 'a long password for one benchmark';

type Headers = { 'x-auth-token': string };

export type Pda = BenchmarkProcess & { headers: Headers };

/** Signs in as the owner or a user. @returns the headers with the token */
export const signIn = async (url: string, name = NAME, password = PASSWORD): Promise<Headers> => {
  const response = await fetch(`${url}/users/access_token`, {
    headers: { username: encodeURIComponent(name), password: encodeURIComponent(password) },
  });
  if (!response.ok) throw new Error(`sign-in failed: ${response.status} ${await response.text()}`);
  return { 'x-auth-token': ((await response.json()) as { accessToken: string }).accessToken };
};

/**
 * Adds the records `from` to `to - 1` to each endpoint. Creates the home if it does not exist.
 * @returns the duration in seconds
 */
export const fillHome = (home: string, from: number, to: number, endpoints: readonly string[]): number =>
  Number(runToCompletion('bench/support/fill-home.ts', [home, String(from), String(to), ...endpoints]));

const startServer = (home: string, nodeArgs?: readonly string[]): Promise<BenchmarkProcess> =>
  startProcess('server/pda/cli/main.js', ['serve', '--home', home], nodeArgs);

export const serveHome = async (home: string, nodeArgs?: readonly string[]): Promise<Pda> => {
  const server = await startServer(home, nodeArgs);
  return { ...server, headers: await signIn(server.url) };
};

/** Starts a server on a home. `ms`: milliseconds until its first response */
export const startAndMeasure = async (home: string): Promise<{ server: BenchmarkProcess; ms: number }> => {
  const startedAt = performance.now();
  const server = await startServer(home);
  const response = await fetch(`${server.url}/healthz`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the first response was ${response.status}`);
  return { server, ms: performance.now() - startedAt };
};

type Caller = Pick<Pda, 'url' | 'headers'>;

/** Calls a path below `/api/v2.6/`. Bytes are sent unchanged, and other bodies as JSON. @returns the response's text */
export const call = async (caller: Caller, method: string, path: string, body?: unknown): Promise<string> => {
  const isBinary = body instanceof Uint8Array;
  const response = await fetch(`${caller.url}/api/v2.6/${path}`, {
    method,
    headers: { ...caller.headers, 'content-type': isBinary ? 'application/octet-stream' : 'application/json' },
    ...(body === undefined ? {} : { body: isBinary ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} failed: ${response.status} ${text}`);
  return text;
};

export const callJson = async <T>(caller: Caller, method: string, path: string, body?: unknown): Promise<T> =>
  JSON.parse(await call(caller, method, path, body)) as T;

export const setUpApplication = async (owner: Caller, id: string): Promise<Headers> => {
  await call(owner, 'GET', `applications/${id}/setup`);
  const { accessToken } = await callJson<{ accessToken: string }>(owner, 'GET', `applications/${id}/access-token`);
  return { 'x-auth-token': accessToken };
};

const INDEX_POLL_MS = 500;
const MAX_INDEX_BUILD_MS = 30 * 60_000;

/** Waits until the search index contains all records, so that no benchmark runs while it is being built. */
export const waitForSearchIndex = async (pda: Pda): Promise<void> => {
  for (const start = performance.now(); ;) {
    const { remaining } = await callJson<{ remaining: number }>(pda, 'GET', 'owner/search-index');
    if (remaining === 0) return;
    if (performance.now() - start > MAX_INDEX_BUILD_MS)
      throw new Error(`the search index still lacks ${remaining} records`);
    await sleep(INDEX_POLL_MS);
  }
};
