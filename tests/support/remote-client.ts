import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import {
  APPLICATION,
  CALLBACK,
  CANARIES,
  joinLink,
  LINKS,
  RELAY_DOMAIN,
  UNENCRYPTED_CANARY,
  type ClientReport,
} from './outside.ts';

// Remote client that knows the name and password of a PDA's owner and trusts one certificate authority. Prints a
// `ClientReport` as JSON.

const lines = createInterface({ input: process.stdin });
process.stdout.write('up\n');
const [parameters] = (await once(lines, 'line')) as [string];
const {
  port,
  trustedRoot,
  owner: credentials,
} = JSON.parse(parameters) as {
  port: number;
  trustedRoot: string;
  owner: { name: string; password: string };
};
await joinLink(LINKS.client);

const name = `${credentials.name}.${RELAY_DOMAIN}`;
const host = `${name}:${port}`;
const agent = new Agent({ keepAlive: true });

type Call = { token?: string; json?: unknown; body?: Buffer; headers?: Record<string, string> };

/** Sends a TLS request to the public host. @throws {Error} if the status is 300 or higher */
const call = async (method: string, path: string, { token, json, body, headers }: Call = {}): Promise<Buffer> => {
  const content = json === undefined ? body : Buffer.from(JSON.stringify(json));
  const clientRequest = request({
    agent,
    method,
    path,
    host: LINKS.client.relay,
    port,
    servername: name,
    ca: trustedRoot,
    headers: {
      host,
      ...(token === undefined ? {} : { 'x-auth-token': token }),
      ...(content === undefined ? {} : { 'content-type': 'application/json', 'content-length': content.length }),
      ...headers,
    },
  }).end(content);
  const [response] = (await once(clientRequest, 'response')) as [import('node:http').IncomingMessage];
  const bytes = await buffer(response);
  const status = response.statusCode ?? 0;
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${bytes.toString()}`);
  return bytes;
};
const requestJson = async <T>(method: string, path: string, options?: Call): Promise<T> =>
  JSON.parse((await call(method, path, options)).toString()) as T;

const issuerOf = (token: string): string =>
  String((JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { iss: unknown }).iss);
const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
};

// Signs in as the owner.
const { accessToken: ownerToken } = await requestJson<{ accessToken: string }>('GET', '/users/access_token', {
  headers: { username: credentials.name, password: encodeURIComponent(credentials.password) },
});

// Approves an application, which then receives a token.
const loginRequest = { name: APPLICATION, redirect: CALLBACK };
const query = new URLSearchParams(loginRequest).toString();
await call('GET', `/api/v2.6/owner/login-request?${query}`, { token: ownerToken });
await call('GET', `/api/v2.6/applications/${APPLICATION}/setup`, { token: ownerToken });
const loginResponse = await requestJson<{ url: string }>('POST', '/api/v2.6/owner/login', {
  token: ownerToken,
  json: loginRequest,
});
const { origin, pathname, searchParams } = new URL(loginResponse.url);
const applicationToken = searchParams.get('token') ?? '';
const endpoint = `${CANARIES.endpoint}/days`;
await call('POST', `/api/v2.6/data/${endpoint}`, { token: applicationToken, json: { text: CANARIES.record } });
const records = await call('GET', `/api/v2.6/data/${endpoint}`, { token: applicationToken });

// Uploads and downloads a file.
const content = Buffer.from(`${CANARIES.content} `.repeat(3000));
const upload = await requestJson<{ fileId: string; contentUrl: string }>('POST', '/api/v2.6/files/upload', {
  token: ownerToken,
  json: { name: CANARIES.fileName, source: 'test' },
});
const uploadHeaders = { 'x-local-server-side-encryption': 'AES256', 'content-type': 'text/plain' };
await call('PUT', pathOf(upload.contentUrl), { body: content, headers: uploadHeaders });
await call('PUT', `/api/v2.6/files/file/${upload.fileId}/complete`, { token: ownerToken });
const file = await requestJson<{ contentUrl: string }>('GET', `/api/v2.6/files/file/${upload.fileId}`, {
  token: ownerToken,
});
const receivedContent = await call('GET', pathOf(file.contentUrl));

// Requests a Data Debit as the application, and enables it as the owner.
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
await call('POST', `/api/v2.6/data-debit/${key}`, { token: applicationToken, json: debit });
await call('GET', `/api/v2.6/data-debit/${key}/enable`, { token: ownerToken });
const values = await call('GET', `/api/v2.6/data-debit/${key}/values`, { token: applicationToken });
agent.destroy();

// Sends the unencrypted canary in each encoding that the search must find.
const word = Buffer.from(UNENCRYPTED_CANARY);
const unencryptedRequest = plainRequest({
  host: LINKS.client.relay,
  port,
  path: `/${UNENCRYPTED_CANARY}`,
  headers: { host, 'x-base64': word.toString('base64'), 'x-hex': word.toString('hex'), connection: 'close' },
}).end();
const [redirect] = (await once(unencryptedRequest, 'response')) as [import('node:http').IncomingMessage];
await buffer(redirect);

const report: ClientReport = {
  issuers: [ownerToken, applicationToken].map(issuerOf),
  tokens: [ownerToken, applicationToken],
  tokenRecipient: `${origin}${pathname}`,
  contentOrigins: [upload, file].map(({ contentUrl }) => new URL(contentUrl).origin),
  isSameContent: receivedContent.equals(content),
  contentBytes: content.length,
  records: records.toString(),
  values: values.toString(),
};
process.stdout.write(`${JSON.stringify(report)}\n`);
lines.close();
