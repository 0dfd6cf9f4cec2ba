import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { selfSigned } from '../tests/support/self-signed.ts';
import { NAME, PASSWORD, signIn, type Benchmark, type Figure } from './support/context.ts';
import { ROOT, startProcess } from './support/processes.ts';
import { median, toFixed2, formatRounded } from './support/stats.ts';

const DOMAIN = 'relay.test';
const CONNECTIONS = 10;
const RECORDS = 100;
const FILE_BYTES = 100_000_000;
const MIN_REQUEST_RATIO = 0.5;
const MIN_DOWNLOAD_RATIO = 0.4;
const REACHABLE_TIMEOUT_MS = 20_000;

/** URL of a PDA. The other members are set if the connection uses the tunnel. */
type Route = { url: string; servername?: string; ca?: string; host?: string };

const headersOf = ({ host }: Route, token: string): Record<string, string> => ({
  'x-auth-token': token,
  ...(host === undefined ? {} : { host }),
});

const measureRequestRate = async (route: Route, path: string, token: string, seconds: number): Promise<number> => {
  const result = await autocannon({
    url: route.url + path,
    connections: CONNECTIONS,
    duration: seconds,
    headers: headersOf(route, token),
    ...(route.servername === undefined ? {} : { servername: route.servername, tlsOptions: { ca: route.ca } }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${route.url}: ${result.non2xx} responses were not 2xx, ${result.errors} requests failed`);
  return result['2xx'] / result.duration;
};

const measureDownload = (route: Route, path: string, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const { hostname, port } = new URL(route.url);
    const call = route.servername === undefined ? plainRequest : tlsRequest;
    const options = { host: hostname, port, path, agent: false, headers: headersOf(route, token) };
    const outgoing = call(
      route.servername === undefined ? options : { ...options, servername: route.servername, ca: route.ca },
      (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200 && bytes === FILE_BYTES) resolve(performance.now() - startedAt);
          else reject(new Error(`download of ${route.url}${path} failed: ${response.statusCode}, ${bytes} bytes`));
        });
      },
    );
    outgoing.on('error', reject).end();
  });

const call = async (url: string, token: string, method: string, path: string, body?: unknown): Promise<unknown> => {
  const response = await fetch(`${url}/api/v2.6/${path}`, {
    method,
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} failed: ${response.status} ${await response.text()}`);
  return response.json();
};

/** Uploads a file as an application does. Returns the path of the file's content. */
const uploadFile = async (url: string, token: string): Promise<string> => {
  const upload = (await call(url, token, 'POST', 'files/upload', { name: 'film.bin', source: 'bench' })) as {
    fileId: string;
    contentUrl: string;
  };
  const uploadResponse = await fetch(upload.contentUrl, {
    method: 'PUT',
    headers: { 'x-bench-server-side-encryption': 'AES256', 'content-type': 'application/octet-stream' },
    body: randomBytes(FILE_BYTES),
  });
  if (!uploadResponse.ok) throw new Error(`upload failed: ${uploadResponse.status}`);
  const { contentUrl } = (await call(url, token, 'PUT', `files/file/${upload.fileId}/complete`)) as {
    contentUrl: string;
  };
  const { pathname, search } = new URL(contentUrl);
  return pathname + search;
};

const createFigure = (label: string, target: number, ratios: readonly number[], detail: string): Figure => ({
  label,
  value: median(ratios),
  target,
  better: 'more',
  unit: 'ratio',
  detail: `${detail}; rounds ${ratios.map(toFixed2).join(', ')}`,
});

/** Compares TLS requests through the relay and the tunnel with direct requests to the same PDA. */
export const tunnel: Benchmark = async (context) => {
  const folder = join(context.folder, 'tunnel');
  mkdirSync(folder, { recursive: true });
  const writePem = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const relayCertificate = await selfSigned(DOMAIN);
  const servername = `${NAME}.${DOMAIN}`;
  const pdaCertificate = await selfSigned(servername);
  const relayArgs = [
    '--cert',
    writePem('relay.pem', relayCertificate.cert),
    '--key',
    writePem('relay.key', relayCertificate.key),
  ];
  const serve = ['serve', '--port', '0', '--domain', DOMAIN, '--home', join(folder, 'relay')];
  const relay = await startProcess('server/relay/cli.ts', serve.concat(relayArgs));
  try {
    const { port } = new URL(relay.url);
    const home = join(folder, 'home');
    const init = ['server/pda/cli/main.ts', 'init', '--home', home, '--name', NAME, '--password-stdin'];
    const initResult = spawnSync(process.execPath, init, { cwd: ROOT, input: PASSWORD });
    if (initResult.status !== 0) throw new Error(initResult.stderr.toString());
    const authoritiesFile = writePem('authorities.pem', relayCertificate.cert + pdaCertificate.cert);
    const config = {
      tunnel: { relay: `https://${DOMAIN}:${port}`, domain: DOMAIN },
      development: { authorities: authoritiesFile },
    };
    writeFileSync(join(home, 'config.json'), JSON.stringify(config));
    const certificate = [writePem('pda.pem', pdaCertificate.cert), writePem('pda.key', pdaCertificate.key)];
    const pda = await startProcess('bench/support/tunnel-pda.ts', [home, ...certificate]);
    try {
      const direct: Route = { url: pda.url };
      const tunnelled: Route = {
        url: `https://127.0.0.1:${port}`,
        servername,
        ca: pdaCertificate.cert,
        host: `${servername}:${port}`,
      };
      const token = await signIn(pda.url);
      const until = performance.now() + REACHABLE_TIMEOUT_MS;
      for (;;) {
        const { state } = (await call(pda.url, token, 'GET', 'owner/exposure')) as { state: string };
        if (state === 'reachable') break;
        if (performance.now() > until) throw new Error(`the PDA did not become reachable (${state})`);
        await sleep(100);
      }
      // A token is valid only for the address at which it was issued.
      const body = await new Promise<string>((resolve, reject) => {
        const headers = {
          host: tunnelled.host ?? '',
          username: encodeURIComponent(NAME),
          password: encodeURIComponent(PASSWORD),
        };
        const options = {
          host: '127.0.0.1',
          port,
          servername,
          ca: pdaCertificate.cert,
          path: '/users/access_token',
          headers,
        };
        tlsRequest(options, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => resolve(text));
        })
          .on('error', reject)
          .end();
      });
      const tunnelToken = (JSON.parse(body) as { accessToken: string }).accessToken;

      const records = Array.from({ length: RECORDS }, (_, index) => ({ index, text: `record number ${index}` }));
      await call(pda.url, token, 'POST', 'data/bench/tunnel', records);
      const path = `/api/v2.6/data/bench/tunnel?ordering=descending&take=${RECORDS}`;
      const [requestRatios, downloadRatios]: [number[], number[]] = [[], []];
      const requestRates: { direct: number[]; tunnelled: number[] } = { direct: [], tunnelled: [] };
      await measureRequestRate(tunnelled, path, tunnelToken, 1);
      for (let round = 0; round < context.rounds; round += 1) {
        const directRate = await measureRequestRate(direct, path, token, context.seconds);
        const tunnelRate = await measureRequestRate(tunnelled, path, tunnelToken, context.seconds);
        requestRates.direct.push(directRate);
        requestRates.tunnelled.push(tunnelRate);
        requestRatios.push(tunnelRate / directRate);
      }
      const file = await uploadFile(pda.url, token);
      const downloadTimes: { direct: number[]; tunnelled: number[] } = { direct: [], tunnelled: [] };
      for (let round = 0; round < context.rounds; round += 1) {
        const directMs = await measureDownload(direct, file, token);
        const tunnelMs = await measureDownload(tunnelled, file, tunnelToken);
        downloadTimes.direct.push(directMs);
        downloadTimes.tunnelled.push(tunnelMs);
        downloadRatios.push(directMs / tunnelMs);
      }
      const rates = `${formatRounded(median(requestRates.tunnelled))} of ${formatRounded(median(requestRates.direct))} per second`;
      const times = `${formatRounded(median(downloadTimes.tunnelled))} ms, direct ${formatRounded(median(downloadTimes.direct))} ms`;
      const comparisonText = 'through relay and tunnel, with TLS that ends in the PDA, compared with direct requests';
      return [
        createFigure(
          `GET of ${RECORDS} records at ${CONNECTIONS} connections ${comparisonText}`,
          MIN_REQUEST_RATIO,
          requestRatios,
          rates,
        ),
        createFigure(`Download of 100 MB ${comparisonText}`, MIN_DOWNLOAD_RATIO, downloadRatios, times),
      ];
    } finally {
      await pda.stop();
    }
  } finally {
    await relay.stop();
  }
};
