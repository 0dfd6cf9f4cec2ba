import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { aBundle, aProposal, createDebitCalls, REQUESTER } from '../server/pda/sharing/debits/harness.test-support.ts';
import { tokenResponseSchema } from '../server/wire/owner.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { ENCRYPTION_HEADERS, fileOf, storeFile } from './support/files.ts';
import { startForwarder, type Forwarder } from './support/forwarder.ts';
import { parseRaw, sendRaw, type Call, type Reply } from './support/http.ts';
import { PUBLIC_HOST, PUBLIC_ORIGIN } from './support/second-factor.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';
import { callWithHost } from './support/tunnel.ts';
import { addUser, USER_PASSWORD } from './support/users.ts';

// Tests consent, bundle names, signed URLs, descriptions of applications, sign-ins and Host headers for clients behind
// a plain TCP forwarder.

const WRONG_STATE = [409, 'wrong_state'];

let pda: TestPda;
let forwarder: Forwarder;
/** Default token of remote requests. It belongs to a session that the owner opened from outside. */
let ownerToken: string;
afterEach(async () => {
  await forwarder?.close();
  await pda?.close();
});

const remoteClient: Pick<TestPda, 'call'> = {
  call: (method, path, { token = ownerToken, ...otherFields } = {}) =>
    callWithHost(forwarder.port, PUBLIC_HOST, method, path, { ...otherFields, token }),
};
const trySignIn = (name: string, password: string, headers: Record<string, string> = {}): Promise<Reply> =>
  remoteClient.call('GET', '/users/access_token', {
    token: null,
    headers: { username: name, password: encodeURIComponent(password), ...headers },
  });
const signIn = async (): Promise<string> =>
  tokenResponseSchema.parse((await trySignIn(OWNER.name, OWNER.password)).json).accessToken;

const start = async (config: object = {}): Promise<void> => {
  pda = await startTestPda({
    publicUrl: PUBLIC_ORIGIN,
    config,
    network: { resolve: () => Promise.resolve([]) },
  });
  forwarder = await startForwarder(await pda.publicPort());
  ownerToken = await signIn();
};
const startWithRequester = async (...applications: readonly object[]) => {
  await start({ applications: [REQUESTER, ...applications] });
  return {
    owner: createDebitCalls(remoteClient),
    requester: createDebitCalls(remoteClient, await setUpApplication(remoteClient, 'requester')),
  };
};

it('a remote session enables only the displayed version of a Data Debit', async () => {
  const { owner, requester } = await startWithRequester();
  await requester.propose('lunch');
  const { permissionId } = (await owner.find('lunch')).permissionsLatest;
  await requester.update('lunch', { bundle: aBundle('lunch-bundle', 'calendar/events') });
  for (const query of ['', `?permissionId=${permissionId}`])
    expect(await owner.expectRefusal('GET', `data-debit/lunch/enable${query}`)).toStrictEqual(WRONG_STATE);
  expect((await requester.find('lunch')).accepted).toBe(false);
  // A session that has displayed no version can approve the pending request.
  const otherSession = createDebitCalls(remoteClient, await signIn());
  expect((await otherSession.enable('lunch')).active).toBe(true);
});

it('a remote session sets up only the displayed version of an application', async () => {
  const notes = (...data: string[]) => ({ applications: [anApplication({ id: 'notes', data })] });
  const setUp = (query: string) => remoteClient.call('GET', `/api/v2.6/applications/notes/setup${query}`);
  await start(notes('notes/all'));
  expect((await remoteClient.call('GET', '/api/v2.6/applications/notes')).status).toBe(200);
  // The same version requests more data.
  writeFileSync(join(pda.home, 'config.json'), JSON.stringify(notes('notes/all', 'bank/accounts')));
  await pda.restart();
  forwarder.target = await pda.publicPort();
  for (const query of ['', '?version=1.0.0']) {
    const reply = await setUp(query);
    expect([query, reply.status, errorOf(reply).error]).toStrictEqual([query, ...WRONG_STATE]);
  }
  expect((await remoteClient.call('GET', '/api/v2.6/applications/notes')).json).toMatchObject({ setup: false });
  expect((await setUp('')).json).toMatchObject({ setup: true, enabled: true });
});

it('a Data Debit request with bidirectional control characters is refused, and the error names the field', async () => {
  const { owner, requester } = await startWithRequester();
  for (const field of ['requestClientName', 'purpose', 'requestDescription'] as const) {
    const json = aProposal('lunch', { [field]: 'Lunch \u202Edetcejer' });
    const reply = await requester.call('POST', 'data-debit/lunch', json);
    expect([reply.status, errorOf(reply).cause]).toStrictEqual([400, expect.stringContaining(`body.${field}: `)]);
  }
  expect(await owner.expectRefusal('GET', 'data-debit/lunch')).toStrictEqual([404, 'not_found']);
});

it('a pending Data Debit request reserves no bundle name', async () => {
  const { owner, requester } = await startWithRequester(anApplication({ id: 'shop', data: ['shop/things'] }));
  await requester.propose('lunch', { bundle: aBundle('shop-data', 'a/b') });
  expect((await owner.call('GET', 'applications/shop/setup')).status).toBe(200);
  expect(await owner.expectRefusal('GET', 'data-debit/lunch/enable')).toStrictEqual([400, 'already_exists']);
});

it('a remote Data Debit request cannot use the bundle name phata, but the owner can', async () => {
  const { owner, requester } = await startWithRequester();
  const bundle = aBundle('phata', 'a/b');
  expect(await requester.expectRefusal('POST', 'data-debit/lunch', aProposal('lunch', { bundle }))).toStrictEqual([
    400,
    'invalid_input',
  ]);
  expect((await owner.call('POST', 'data-bundle/phata', bundle.bundle)).status).toBe(200);
});

it('signed URLs of a remote session end with the session', async () => {
  await start();
  const { fileId } = await storeFile(pda, 'kept.txt', 'secret');
  const otherToken = await signIn();
  const urlFor = async (token: string): Promise<string> =>
    fileOf(await remoteClient.call('GET', `/api/v2.6/files/file/${fileId}`, { token })).contentUrl ?? '';
  const callSigned = (method: string, url: string, call: Call = {}): Promise<Reply> => {
    const { origin, pathname, search } = new URL(url);
    expect(origin).toBe(PUBLIC_ORIGIN);
    return remoteClient.call(method, pathname + search, { ...call, token: null });
  };
  const [url, otherUrl] = [await urlFor(ownerToken), await urlFor(otherToken)];
  const json = { name: 'late.txt', source: 'test' };
  const { contentUrl: uploadUrl = '' } = fileOf(await remoteClient.call('POST', '/api/v2.6/files/upload', { json }));
  expect((await callSigned('GET', url)).text).toBe('secret');
  const signOut = (query: string): Promise<Reply> =>
    remoteClient.call('DELETE', `/api/v2.6/owner/sessions${query}`, { token: otherToken });
  expect((await signOut('?except=current')).status).toBe(200);
  expect((await callSigned('GET', url)).status).toBe(403);
  const headers = { ...ENCRYPTION_HEADERS, 'content-type': 'text/plain' };
  expect((await callSigned('PUT', uploadUrl, { headers, body: 'late' })).status).toBe(403);
  expect((await callSigned('GET', otherUrl)).text).toBe('secret');
  expect((await signOut('')).status).toBe(200);
  expect((await callSigned('GET', otherUrl)).status).toBe(403);
});

it('an anonymous remote client cannot detect which applications config.json lists', async () => {
  await start({ applications: [anApplication({ id: 'notes' })] });
  const describeApplication = (id: string, token: string | null): Promise<Reply> =>
    remoteClient.call('GET', `/api/v2.6/applications/${id}/hmi`, { token });
  const refusalOf = async (id: string) => {
    const { error, cause } = errorOf(await describeApplication(id, null));
    return { error, cause: cause.replace(id, 'ID') };
  };
  const unlistedRefusal = await refusalOf('other');
  expect(unlistedRefusal.error).toBe('not_found');
  expect(await refusalOf('notes')).toStrictEqual(unlistedRefusal);
  expect((await describeApplication('notes', ownerToken)).json).toMatchObject({ id: 'notes' });
});

it('a guest can sign in from a known network while others guess the password', async () => {
  await start({ proxies: 1 });
  await addUser(pda, 'grace');
  const signInFrom = async (address: string, password = USER_PASSWORD): Promise<number> =>
    (await trySignIn('grace', password, { 'x-forwarded-for': address })).status;
  expect(await signInFrom('203.0.113.7')).toBe(200);
  for (let count = 0; count < 10; count += 1) await signInFrom(`198.51.100.${count}`, 'wrong');
  expect(await signInFrom('203.0.113.8')).toBe(429);
  expect(await signInFrom('203.0.113.7')).toBe(200);
});

it('a remote request with two Host headers is refused', async () => {
  await start();
  for (const [firstHost, secondHost] of [
    [PUBLIC_HOST, pda.host],
    [pda.host, PUBLIC_HOST],
    [PUBLIC_HOST, PUBLIC_HOST],
  ] as const) {
    const text = await sendRaw(
      forwarder.port,
      `GET /healthz HTTP/1.1\r\nhost: ${firstHost}\r\nHost: ${secondHost}\r\n\r\n`,
    );
    const { status, json } = parseRaw(text);
    expect([firstHost, secondHost, status, Object(json).error]).toStrictEqual([
      firstHost,
      secondHost,
      400,
      'invalid_input',
    ]);
  }
});
