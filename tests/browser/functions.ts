import { readFileSync, readdirSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { type ZipFile, zipOf } from '../../server/pda/functions/packages/zip.test-support.ts';
import type { Pda } from './pda.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/functions/', import.meta.url));

function readExample(name: string): ZipFile[] {
  const folder = join(EXAMPLES, name);
  return readdirSync(folder).map((file) => ({ name: file, content: readFileSync(join(folder, file)) }));
}

export const exampleZip = (name: string): Buffer => zipOf(readExample(name));

interface PackageSource {
  id: string;
  version?: string;
  name?: string;
  trigger?: object;
  /** Maps output field names to record fields. If omitted, the function receives entire records. */
  mapping?: Record<string, string>;
  /** Input endpoints instead of `diary/entries`. */
  endpoints?: readonly string[];
  memoryMb?: number;
  /** The body of `process`. */
  body: string;
}

function publishedConfigurationOf({
  id,
  version = '1.0.0',
  name = id,
  trigger: functionTrigger,
  mapping,
  endpoints,
}: PackageSource) {
  const entries = (endpoints ?? ['diary/entries']).map((endpoint) => ({
    endpoint,
    ...(mapping === undefined ? {} : { mapping }),
  }));
  return {
    id,
    info: { version, name, headline: `${name} does something`, description: { text: `What ${name} is for.` } },
    trigger: functionTrigger ?? { triggerType: 'manual' },
    dataBundle: { name: id, bundle: { entries: { endpoints: entries } } },
  };
}

export function buildFunctionZip(source: PackageSource): Buffer {
  const { id, version = '1.0.0', memoryMb = 128, body } = source;
  const publishedConfiguration = JSON.stringify(publishedConfigurationOf(source));
  const module = `
    const publishedConfiguration = ${publishedConfiguration};
    export const configuration = () => publishedConfiguration;
    export const dataBundle = () => publishedConfiguration.dataBundle;
    export function process({ request }) {
      const records = request.data.entries ?? [];
      ${body}
    }`;
  const manifest = { id, version, memoryMb, timeoutMs: 5000, namespace: id, endpoint: 'made' };
  return zipOf([
    { name: 'manifest.json', content: JSON.stringify(manifest) },
    { name: 'function.js', content: module },
  ]);
}

export async function installFunction(pda: Pda, zip: Buffer): Promise<void> {
  const response = await fetch(`${pda.url}/api/v2.6/owner/functions/packages`, {
    method: 'POST',
    headers: { 'content-type': 'application/zip', 'x-auth-token': pda.currentToken() },
    body: new Uint8Array(zip),
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
}

export const enableFunction = (pda: Pda, id: string): Promise<unknown> =>
  pda.call('GET', `/api/v2.6/she/function/${id}/enable`);

export const runFunction = (pda: Pda, id: string): Promise<unknown> =>
  pda.call('GET', `/api/v2.6/she/function/${id}/trigger`);

export async function chooseFile(page: Page, button: string, name: string, content: Buffer): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button }).click();
  await (await chooser).setFiles({ name, mimeType: 'application/zip', buffer: content });
}

export interface RemoteFunction {
  baseUrl: string;
  host: string;
  receivedBodies: string[];
  close: () => Promise<void>;
}

/** Starts a remote function: a web service that returns the number of inputs received so far. */
export async function startRemoteFunction(
  id: string,
  output: { namespace: string; endpoint: string },
): Promise<RemoteFunction> {
  const publishedConfiguration = publishedConfigurationOf({
    id,
    name: 'Weather words',
    mapping: { text: 'text' },
    body: '',
  });
  const receivedBodies: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    const respond = (value: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.method === 'GET') {
      respond(path.includes('/data-bundle') ? publishedConfiguration.dataBundle : publishedConfiguration);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      receivedBodies.push(Buffer.concat(chunks).toString());
      respond([{ ...output, data: [{ words: receivedBodies.length }] }]);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    receivedBodies,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const diaryEntries = [
  { text: 'A wonderful walk along the river, the sunny river', mood: 4, place: 'Leeds' },
  { text: 'Work was stressful and the train was late', mood: 2, place: 'York' },
  { text: 'Planted beans in the garden', mood: 4, place: 'Leeds' },
];
