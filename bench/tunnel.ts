import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSelfSigned } from '../tests/support/self-signed.ts';
import type { Benchmark } from './support/context.ts';
import { compare, compareSides, ratioFigure, type Load, type Measurement } from './support/load.ts';
import { call, callJson, NAME, PASSWORD, signIn, type Pda } from './support/pda.ts';
import { runToCompletion, startProcess } from './support/processes.ts';
import { formatRounded } from './support/stats.ts';

const DOMAIN = 'relay.test';
const CONNECTIONS = 10;
const RECORDS = 100;
const FILE_BYTES = 100_000_000;
const MIN_REQUEST_RATIO = 0.5;
const MIN_DOWNLOAD_RATIO = 0.4;
const REACHABLE_TIMEOUT_MS = 20_000;

const get = ({ url, headers, tls }: Omit<Load, 'connections'>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url);
    const options = { host: hostname, port, path: pathname + search, agent: false, headers, ...tls };
    const sendRequest = tls === undefined ? plainRequest : tlsRequest;
    sendRequest(options, resolve).on('error', reject).end();
  });

const measureDownload = async (load: Load): Promise<Measurement> => {
  const startedAt = performance.now();
  const response = await get(load);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  if (response.statusCode !== 200 || bytes !== FILE_BYTES)
    throw new Error(`download of ${load.url} failed: ${response.statusCode}, ${bytes} bytes`);
  return { perSecond: 1000 / (performance.now() - startedAt), cpuPerRequest: undefined };
};

/** Uploads a file. @returns the path of its content */
const uploadFile = async (pda: Pick<Pda, 'url' | 'headers'>): Promise<string> => {
  const upload = await callJson<{ fileId: string; contentUrl: string }>(pda, 'POST', 'files/upload', {
    name: 'film.bin',
    source: 'bench',
  });
  const uploadResponse = await fetch(upload.contentUrl, {
    method: 'PUT',
    headers: { 'x-bench-server-side-encryption': 'AES256', 'content-type': 'application/octet-stream' },
    body: randomBytes(FILE_BYTES),
  });
  if (!uploadResponse.ok) throw new Error(`upload failed: ${uploadResponse.status}`);
  const { contentUrl } = await callJson<{ contentUrl: string }>(pda, 'PUT', `files/file/${upload.fileId}/complete`);
  const { pathname, search } = new URL(contentUrl);
  return pathname + search;
};

export const tunnel: Benchmark = async (context) => {
  const folder = join(context.folder, 'tunnel');
  mkdirSync(folder, { recursive: true });
  const writePem = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const relayCertificate = await createSelfSigned(DOMAIN);
  const servername = `${NAME}.${DOMAIN}`;
  const pdaCertificate = await createSelfSigned(servername);
  const certificateArgs = [
    '--cert',
    writePem('relay.pem', relayCertificate.cert),
    '--key',
    writePem('relay.key', relayCertificate.key),
  ];
  const serveArgs = ['serve', '--port', '0', '--domain', DOMAIN, '--home', join(folder, 'relay')];
  const relay = await startProcess('server/relay/cli.ts', serveArgs.concat(certificateArgs));
  try {
    const { port } = new URL(relay.url);
    const home = join(folder, 'home');
    const initArgs = ['init', '--home', home, '--name', NAME, '--password-stdin'];
    runToCompletion('server/pda/cli/main.js', initArgs, PASSWORD);
    const authoritiesFile = writePem('authorities.pem', relayCertificate.cert + pdaCertificate.cert);
    const config = {
      tunnel: { relay: `https://${DOMAIN}:${port}`, domain: DOMAIN },
      development: { authorities: authoritiesFile },
    };
    writeFileSync(join(home, 'config.json'), JSON.stringify(config));
    const certificateFiles = [writePem('pda.pem', pdaCertificate.cert), writePem('pda.key', pdaCertificate.key)];
    const server = await startProcess('bench/support/tunnel-pda.ts', [home, ...certificateFiles]);
    try {
      const pda = { url: server.url, headers: await signIn(server.url) };
      const deadline = performance.now() + REACHABLE_TIMEOUT_MS;
      for (;;) {
        const { state } = await callJson<{ state: string }>(pda, 'GET', 'owner/exposure');
        if (state === 'reachable') break;
        if (performance.now() > deadline) throw new Error(`the PDA did not become reachable (${state})`);
        await sleep(100);
      }
      const host = `${servername}:${port}`;
      const tls = { servername, ca: pdaCertificate.cert };
      const tunnelUrl = `https://127.0.0.1:${port}`;
      // Signs in through the tunnel, as a remote client would.
      const response = await get({
        url: `${tunnelUrl}/users/access_token`,
        headers: { host, username: encodeURIComponent(NAME), password: encodeURIComponent(PASSWORD) },
        tls,
      });
      const { accessToken } = (await json(response)) as { accessToken: string };
      const directLoad = (path: string): Load => ({
        url: pda.url + path,
        connections: CONNECTIONS,
        headers: pda.headers,
      });
      const tunnelledLoad = (path: string): Load => ({
        url: tunnelUrl + path,
        connections: CONNECTIONS,
        headers: { host, 'x-auth-token': accessToken },
        tls,
      });

      const records = Array.from({ length: RECORDS }, (_, index) => ({ index, text: `record number ${index}` }));
      await call(pda, 'POST', 'data/bench/tunnel', records);
      const path = `/api/v2.6/data/bench/tunnel?ordering=descending&take=${RECORDS}`;
      const requests = await compareSides(
        context,
        { server, load: tunnelledLoad(path) },
        { server, load: directLoad(path) },
      );
      const file = await uploadFile(pda);
      const downloads = await compare(
        context.rounds,
        () => measureDownload(tunnelledLoad(file)),
        () => measureDownload(directLoad(file)),
      );
      const formatMs = (perSecond: number): string => `${formatRounded(1000 / perSecond)} ms`;
      const times = `${formatMs(downloads.serverRate)}, direct ${formatMs(downloads.baselineRate)}`;
      const comparisonText = 'through the relay tunnel, with TLS terminated at the PDA, compared with direct requests';
      return [
        ratioFigure(
          `GET of ${RECORDS} records over ${CONNECTIONS} connections ${comparisonText}`,
          MIN_REQUEST_RATIO,
          requests,
        ),
        ratioFigure(`Download of 100 MB ${comparisonText}`, MIN_DOWNLOAD_RATIO, { ...downloads, detail: times }),
      ];
    } finally {
      await server.stop();
    }
  } finally {
    await relay.stop();
  }
};
