import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { APPLICATION, CALLBACK, CANARIES, joinLine, LINES, RELAY_DOMAIN, VISIBLE, type Journey } from './outside.ts';

/** A remote visitor who knows the name of a PDA and trusts one authority. Reports the outcome of the visit. */

const lines = createInterface({ input: process.stdin });
process.stdout.write('up\n');
const [said] = (await once(lines, 'line')) as [string];
const {
  port,
  trust,
  owner: known,
} = JSON.parse(said) as {
  port: number;
  trust: string;
  owner: { name: string; password: string };
};
await joinLine(LINES.visitor);

const name = `${known.name}.${RELAY_DOMAIN}`;
const host = `${name}:${port}`;
const agent = new Agent({ keepAlive: true });

type Call = { token?: string; json?: unknown; body?: Buffer; headers?: Record<string, string> };

/** A TLS request to the host that the name resolves to. @throws Error for every response that is not 2xx */
const call = async (method: string, path: string, { token, json, body, headers }: Call = {}): Promise<Buffer> => {
  const content = json === undefined ? body : Buffer.from(JSON.stringify(json));
  const asked = request({
    agent,
    method,
    path,
    host: LINES.visitor.relay,
    port,
    servername: name,
    ca: trust,
    headers: {
      host,
      ...(token === undefined ? {} : { 'x-auth-token': token }),
      ...(content === undefined ? {} : { 'content-type': 'application/json', 'content-length': content.length }),
      ...headers,
    },
  }).end(content);
  const [answer] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
  const bytes = await buffer(answer);
  const status = answer.statusCode ?? 0;
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${bytes.toString()}`);
  return bytes;
};
const ask = async <T>(method: string, path: string, more?: Call): Promise<T> =>
  JSON.parse((await call(method, path, more)).toString()) as T;

const issuerOf = (token: string): string =>
  String((JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { iss: unknown }).iss);
const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
};

// The owner, on a telephone.
const { accessToken: owner } = await ask<{ accessToken: string }>('GET', '/users/access_token', {
  headers: { username: known.name, password: encodeURIComponent(known.password) },
});

// An application: its owner is asked, says yes, and is sent back to it with a token.
const wish = { name: APPLICATION, redirect: CALLBACK };
const query = new URLSearchParams(wish).toString();
await call('GET', `/api/v2.6/owner/login-request?${query}`, { token: owner });
await call('GET', `/api/v2.6/applications/${APPLICATION}/setup`, { token: owner });
const back = await ask<{ url: string }>('POST', '/api/v2.6/owner/login', { token: owner, json: wish });
const { origin, pathname, searchParams } = new URL(back.url);
const application = searchParams.get('token') ?? '';
const endpoint = `${CANARIES.endpoint}/days`;
await call('POST', `/api/v2.6/data/${endpoint}`, { token: application, json: { text: CANARIES.record } });
const records = await call('GET', `/api/v2.6/data/${endpoint}`, { token: application });

// A file, up and down again.
const content = Buffer.from(`${CANARIES.content} `.repeat(3000));
const made = await ask<{ fileId: string; contentUrl: string }>('POST', '/api/v2.6/files/upload', {
  token: owner,
  json: { name: CANARIES.fileName, source: 'test' },
});
const encrypted = { 'x-local-server-side-encryption': 'AES256', 'content-type': 'text/plain' };
await call('PUT', pathOf(made.contentUrl), { body: content, headers: encrypted });
await call('PUT', `/api/v2.6/files/file/${made.fileId}/complete`, { token: owner });
const file = await ask<{ contentUrl: string }>('GET', `/api/v2.6/files/file/${made.fileId}`, { token: owner });
const received = await call('GET', pathOf(file.contentUrl));

// A Data Debit, which the owner allows.
const key = `${APPLICATION}-debit`;
const debit = {
  dataDebitKey: key,
  bundle: { name: `${key}-bundle`, bundle: { days: { endpoints: [{ endpoint }] } } },
  start: new Date().toISOString(),
  period: 86_400,
  purpose: CANARIES.purpose,
  cancelAtPeriodEnd: true,
  termsUrl: 'https://walks.example.com/terms',
  requestClientName: 'Walks Ltd',
  requestClientUrl: 'https://walks.example.com/',
  requestClientLogoUrl: 'https://walks.example.com/logo.png',
};
await call('POST', `/api/v2.6/data-debit/${key}`, { token: application, json: debit });
await call('GET', `/api/v2.6/data-debit/${key}/enable`, { token: owner });
const values = await call('GET', `/api/v2.6/data-debit/${key}/values`, { token: application });
agent.destroy();

// And what a careless visitor says in the clear, in each of the ways in which words are looked for.
const word = Buffer.from(VISIBLE);
const careless = plainRequest({
  host: LINES.visitor.relay,
  port,
  path: `/${VISIBLE}`,
  headers: { host, 'x-base64': word.toString('base64'), 'x-hex': word.toString('hex'), connection: 'close' },
}).end();
const [redirect] = (await once(careless, 'response')) as [import('node:http').IncomingMessage];
await buffer(redirect);

const journey: Journey = {
  issuers: [owner, application].map(issuerOf),
  tokens: [owner, application],
  sentTo: `${origin}${pathname}`,
  contentAt: [made, file].map(({ contentUrl }) => new URL(contentUrl).origin),
  isSameContent: received.equals(content),
  contentBytes: content.length,
  records: records.toString(),
  values: values.toString(),
};
process.stdout.write(`${JSON.stringify(journey)}\n`);
lines.close();
