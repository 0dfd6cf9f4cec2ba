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
import { ROOT, start } from './support/processes.ts';
import { median, two, whole } from './support/stats.ts';

const DOMAIN = 'relay.test';
const CONNECTIONS = 10;
const RECORDS = 100;
const FILE_BYTES = 100_000_000;
const MIN_REQUESTS = 0.5;
const MIN_DOWNLOAD = 0.4;
const REACHED_WITHIN_MS = 20_000;

/** Where a PDA is called, and how. */
type Way = { url: string; servername?: string; ca?: string; host?: string };

const headersOf = ({ host }: Way, token: string): Record<string, string> => ({
  'x-auth-token': token,
  ...(host === undefined ? {} : { host }),
});

const perSecond = async (way: Way, path: string, token: string, seconds: number): Promise<number> => {
  const result = await autocannon({
    url: way.url + path,
    connections: CONNECTIONS,
    duration: seconds,
    headers: headersOf(way, token),
    ...(way.servername === undefined ? {} : { servername: way.servername, tlsOptions: { ca: way.ca } }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${way.url}: ${result.non2xx} answers were not 2xx, ${result.errors} requests failed`);
  return result['2xx'] / result.duration;
};

/** Milliseconds of one download. */
const download = (way: Way, path: string, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    const { hostname, port } = new URL(way.url);
    const call = way.servername === undefined ? plainRequest : tlsRequest;
    const options = { host: hostname, port, path, agent: false, headers: headersOf(way, token) };
    const sent = call(
      way.servername === undefined ? options : { ...options, servername: way.servername, ca: way.ca },
      (answer) => {
        let bytes = 0;
        answer.on('data', (part: Buffer) => {
          bytes += part.length;
        });
        answer.on('error', reject);
        answer.on('end', () => {
          if (answer.statusCode === 200 && bytes === FILE_BYTES) resolve(performance.now() - begun);
          else reject(new Error(`${way.url}${path}: ${answer.statusCode}, ${bytes} bytes`));
        });
      },
    );
    sent.on('error', reject).end();
  });

const call = async (url: string, token: string, method: string, path: string, body?: unknown): Promise<unknown> => {
  const answer = await fetch(`${url}/api/v2.6/${path}`, {
    method,
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

/** A file, sent in as an app would. Returns the path of its content. */
const uploaded = async (url: string, token: string): Promise<string> => {
  const made = (await call(url, token, 'POST', 'files/upload', { name: 'film.bin', source: 'bench' })) as {
    fileId: string;
    contentUrl: string;
  };
  const sent = await fetch(made.contentUrl, {
    method: 'PUT',
    headers: { 'x-bench-server-side-encryption': 'AES256', 'content-type': 'application/octet-stream' },
    body: randomBytes(FILE_BYTES),
  });
  if (!sent.ok) throw new Error(`upload: ${sent.status}`);
  const { contentUrl } = (await call(url, token, 'PUT', `files/file/${made.fileId}/complete`)) as {
    contentUrl: string;
  };
  const { pathname, search } = new URL(contentUrl);
  return pathname + search;
};

const figure = (what: string, target: number, ratios: readonly number[], detail: string): Figure => ({
  what,
  value: median(ratios),
  target,
  better: 'more',
  unit: 'ratio',
  detail: `${detail}; rounds ${ratios.map(two).join(', ')}`,
});

/** The whole way of a visitor, by TLS through the relay and the tunnel, against calling the same PDA at its own port without any of it. */
export const tunnel: Benchmark = async (context) => {
  const folder = join(context.folder, 'tunnel');
  mkdirSync(folder, { recursive: true });
  const pem = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const ofRelay = await selfSigned(DOMAIN);
  const servername = `${NAME}.${DOMAIN}`;
  const ofPda = await selfSigned(servername);
  const relayArgs = ['--cert', pem('relay.pem', ofRelay.cert), '--key', pem('relay.key', ofRelay.key)];
  const serve = ['serve', '--port', '0', '--domain', DOMAIN, '--home', join(folder, 'relay')];
  const relay = await start('server/relay/cli.ts', serve.concat(relayArgs));
  try {
    const { port } = new URL(relay.url);
    const home = join(folder, 'home');
    const init = ['server/pda/cli/main.ts', 'init', '--home', home, '--name', NAME, '--password-stdin'];
    const made = spawnSync(process.execPath, init, { cwd: ROOT, input: PASSWORD });
    if (made.status !== 0) throw new Error(made.stderr.toString());
    const trusted = pem('authorities.pem', ofRelay.cert + ofPda.cert);
    const config = {
      tunnel: { relay: `https://${DOMAIN}:${port}`, domain: DOMAIN },
      development: { authorities: trusted },
    };
    writeFileSync(join(home, 'config.json'), JSON.stringify(config));
    const certificate = [pem('pda.pem', ofPda.cert), pem('pda.key', ofPda.key)];
    const pda = await start('bench/support/tunnel-pda.ts', [home, ...certificate]);
    try {
      const direct: Way = { url: pda.url };
      const through: Way = {
        url: `https://127.0.0.1:${port}`,
        servername,
        ca: ofPda.cert,
        host: `${servername}:${port}`,
      };
      const token = await signIn(pda.url);
      const until = performance.now() + REACHED_WITHIN_MS;
      for (;;) {
        const { state } = (await call(pda.url, token, 'GET', 'owner/exposure')) as { state: string };
        if (state === 'reachable') break;
        if (performance.now() > until) throw new Error(`the PDA is ${state}, and not reachable`);
        await sleep(100);
      }
      // A token is good under the address that it was made through.
      const answer = await new Promise<string>((resolve, reject) => {
        const headers = {
          host: through.host ?? '',
          username: encodeURIComponent(NAME),
          password: encodeURIComponent(PASSWORD),
        };
        const options = { host: '127.0.0.1', port, servername, ca: ofPda.cert, path: '/users/access_token', headers };
        tlsRequest(options, (found) => {
          let text = '';
          found.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          found.on('end', () => resolve(text));
        })
          .on('error', reject)
          .end();
      });
      const outside = (JSON.parse(answer) as { accessToken: string }).accessToken;

      const records = Array.from({ length: RECORDS }, (_, index) => ({ index, text: `record number ${index}` }));
      await call(pda.url, token, 'POST', 'data/bench/tunnel', records);
      const path = `/api/v2.6/data/bench/tunnel?ordering=descending&take=${RECORDS}`;
      const [requests, downloads]: [number[], number[]] = [[], []];
      const seen: { direct: number[]; through: number[] } = { direct: [], through: [] };
      await perSecond(through, path, outside, 1);
      for (let round = 0; round < context.rounds; round += 1) {
        const here = await perSecond(direct, path, token, context.seconds);
        const there = await perSecond(through, path, outside, context.seconds);
        seen.direct.push(here);
        seen.through.push(there);
        requests.push(there / here);
      }
      const file = await uploaded(pda.url, token);
      const took: { direct: number[]; through: number[] } = { direct: [], through: [] };
      for (let round = 0; round < context.rounds; round += 1) {
        const here = await download(direct, file, token);
        const there = await download(through, file, outside);
        took.direct.push(here);
        took.through.push(there);
        downloads.push(here / there);
      }
      const rates = `${whole(median(seen.through))} of ${whole(median(seen.direct))} per second`;
      const times = `${whole(median(took.through))} ms, direct ${whole(median(took.direct))} ms`;
      const how = 'through tunnel and relay by TLS that ends in the PDA, to the same without any of them';
      return [
        figure(`GET of ${RECORDS} records at ${CONNECTIONS} connections ${how}`, MIN_REQUESTS, requests, rates),
        figure(`Download of 100 MB ${how}`, MIN_DOWNLOAD, downloads, times),
      ];
    } finally {
      await pda.stop();
    }
  } finally {
    await relay.stop();
  }
};
