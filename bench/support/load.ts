import autocannon from 'autocannon';
import { Pool } from 'undici';
import { median, toFixed2, formatRounded } from './stats.ts';
import type { Figure } from './context.ts';
import type { BenchmarkProcess } from './processes.ts';

/** Requests that this process sends. The servers run in separate processes. */
export type Load = {
  url: string;
  connections: number;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** Request bodies, sent in turn. */
  bodies?: readonly string[];
  /** Host name and certificate of a server behind TLS. */
  tls?: { servername: string; ca: string };
};

export type Measurement = {
  perSecond: number;
  /** CPU time of the server for one request, in microseconds; undefined if it was not measured. */
  cpuPerRequest: number | undefined;
};

export const measureRequests = async (
  server: BenchmarkProcess,
  requests: number,
  sendAll: () => Promise<unknown>,
): Promise<Measurement> => {
  const initialCpu = server.cpuSeconds();
  const start = performance.now();
  await sendAll();
  const seconds = (performance.now() - start) / 1000;
  return {
    perSecond: requests / seconds,
    cpuPerRequest: computeCpuPerRequest(initialCpu, server.cpuSeconds(), requests),
  };
};

/** @param start CPU seconds before the requests @param end CPU seconds after them @returns microseconds per request */
const computeCpuPerRequest = (
  start: number | undefined,
  end: number | undefined,
  requests: number,
): number | undefined =>
  start === undefined || end === undefined ? undefined : ((end - start) * 1_000_000) / requests;

const headersOf = ({ method, headers }: Load): Record<string, string> =>
  method === 'POST' ? { 'content-type': 'application/json', ...headers } : { ...headers };

export const measure = async (server: BenchmarkProcess, load: Load, seconds: number): Promise<Measurement> => {
  const { url, connections, method = 'GET', bodies, tls } = load;
  const initialCpu = server.cpuSeconds();
  const result = await autocannon({
    url,
    connections,
    method,
    headers: headersOf(load),
    ...(bodies === undefined ? {} : { requests: bodies.map((body) => ({ body })) }),
    ...(tls === undefined ? {} : { servername: tls.servername, tlsOptions: { ca: tls.ca } }),
    duration: seconds,
    timeout: 30,
  });
  // Error responses are fast, so counting them would make a broken server the fastest.
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} responses were not 2xx, ${result.errors} requests failed`);
  const succeeded = result['2xx'];
  return {
    perSecond: succeeded / result.duration,
    cpuPerRequest: computeCpuPerRequest(initialCpu, server.cpuSeconds(), succeeded),
  };
};

/** Measures large requests without autocannon, which checks its clock only once a second and parses in JavaScript. */
export const measureLargeRequests = async (
  server: BenchmarkProcess,
  load: Load,
  requests: number,
): Promise<Measurement> => {
  const { url, connections, method = 'GET', bodies } = load;
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const bodyBuffers = bodies?.map((text) => Buffer.from(text)) ?? [];
  let nextIndex = 0;
  const sendRequests = async (): Promise<void> => {
    while (nextIndex < requests) {
      const body = bodyBuffers[nextIndex % bodyBuffers.length] ?? null;
      nextIndex += 1;
      const response = await pool.request({ path: pathname, method, headers: headersOf(load), body });
      if (response.statusCode >= 300)
        throw new Error(`${url} failed: ${response.statusCode} ${await response.body.text()}`);
      for await (const chunk of response.body) void chunk;
    }
  };
  try {
    return await measureRequests(server, requests, () =>
      Promise.all(Array.from({ length: connections }, sendRequests)),
    );
  } finally {
    await pool.close();
  }
};

/** Comparison of a server with a baseline. `ratio` is the median, over all rounds, of server rate / baseline rate. */
export type Comparison = { ratio: number; spread: string; serverRate: number; baselineRate: number; detail: string };

/** Measures both sides in turn, so that temporary load affects both. The sides take turns going first in a round. */
export const compare = async (
  rounds: number,
  measureServer: () => Promise<Measurement>,
  measureBaseline: () => Promise<Measurement>,
): Promise<Comparison> => {
  const pairs: { server: Measurement; baseline: Measurement }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      const server = await measureServer();
      pairs.push({ server, baseline: await measureBaseline() });
    } else {
      const baseline = await measureBaseline();
      pairs.push({ server: await measureServer(), baseline });
    }
  }
  const ratios = pairs.map(({ server, baseline }) => server.perSecond / baseline.perSecond);
  const serverRate = median(pairs.map(({ server }) => server.perSecond));
  const baselineRate = median(pairs.map(({ baseline }) => baseline.perSecond));
  const cpu = (side: 'server' | 'baseline'): string => {
    const values = pairs.flatMap((pair) => pair[side].cpuPerRequest ?? []);
    return values.length === 0 ? '' : ` (${formatRounded(median(values))} µs of CPU time each)`;
  };
  return {
    ratio: median(ratios),
    spread: `${toFixed2(Math.min(...ratios))} to ${toFixed2(Math.max(...ratios))} in ${rounds} rounds`,
    serverRate,
    baselineRate,
    detail:
      `${formatRounded(serverRate)}/s${cpu('server')}, ` +
      `baseline ${formatRounded(baselineRate)}/s${cpu('baseline')}`,
  };
};

type Side = { server: BenchmarkProcess; load: Load };

export const compareSides = async (
  { rounds, seconds, warmUpSeconds = 2 }: { rounds: number; seconds: number; warmUpSeconds?: number },
  serverSide: Side,
  baselineSide: Side,
): Promise<Comparison> => {
  const measureSide = ({ server, load }: Side, duration: number): Promise<Measurement> =>
    measure(server, load, duration);
  await measureSide(serverSide, warmUpSeconds);
  await measureSide(baselineSide, warmUpSeconds);
  return compare(
    rounds,
    () => measureSide(serverSide, seconds),
    () => measureSide(baselineSide, seconds),
  );
};

const fetchText = async (load: Load): Promise<string> => {
  const { url, method = 'GET', bodies } = load;
  const response = await fetch(url, { method, headers: headersOf(load), body: bodies?.[0] ?? null });
  const text = await response.text();
  if (!response.ok) throw new Error(`request to ${url} failed: ${response.status} ${text}`);
  return text;
};

/**
 * Checks that both sides send the same response, which a valid comparison requires, and returns its text.
 * @throws {Error} if a request fails or the texts differ
 */
export const assertSameResponse = async (load: Load, baselineLoad: Load): Promise<string> => {
  const [text, baselineText] = [await fetchText(load), await fetchText(baselineLoad)];
  if (text !== baselineText) throw new Error('the two sides return different responses');
  return text;
};

export const ratioFigure = (label: string, target: number, comparison: Comparison): Figure => ({
  label,
  value: comparison.ratio,
  target,
  better: 'more',
  unit: 'ratio',
  detail: `${comparison.detail}; ${comparison.spread}`,
});
