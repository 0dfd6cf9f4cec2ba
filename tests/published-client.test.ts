import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HatClient } from '@dataswift/hat-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseLoginParameters } from '../renderer/dashboard/pages/login/login-parameters.ts';
import { createDebitCalls, SHARED_VALUES, storeEvents } from '../server/pda/sharing/debits/harness.test-support.ts';
import { loginRequestSchema, loginResponseSchema, type LoginRequest } from '../server/wire/applications.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { readFileRecord, searchFiles } from './support/files.ts';
import { dataAt, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';
import { signInAs } from './support/users.ts';

// Runs the unmodified JavaScript client that was published for the original implementation, `@dataswift/hat-js`,
// against a PDA. Every method that sends requests is called, and stored data is verified without the client.
//
// The client takes the address of the PDA from `iss` of the token and ignores the option `hatDomain`. It uses https
// unless `secure` is false; without a token, it ignores `secure`. It has no methods for passwords, combinators,
// bundles, functions, access of individual users to files, or for requesting and approving Data Debits.
// `registration()` only builds URLs of the website of the client's publisher.

const DAY_MS = 86_400_000;

const dataRoles = (namespace: string) => [
  { role: 'namespaceread', detail: namespace },
  { role: 'namespacewrite', detail: namespace },
];
const PLUG_URL = 'https://mail.example.com/callback';
const WALKS = anApplication({
  id: 'walks',
  roles: [...dataRoles('walks'), { role: 'managefiles', detail: 'walks' }, { role: 'datadebit' }],
});
const NOTES = anApplication({ id: 'notes', roles: dataRoles('notes') });
// The client adds a query to the setup URL of a plug. The PDA allows that only for the URL in `kind`.
const MAIL = {
  ...anApplication({
    id: 'mail',
    roles: dataRoles('mail'),
    setup: { url: PLUG_URL },
    status: { recentDataCheckEndpoint: 'mail/all' },
  }),
  kind: { kind: 'Data Plug', url: PLUG_URL },
};

let pda: TestPda;
let owner: HatClient;
let applicationToken: string;
let application: HatClient;

const connect = (token: string, options: { onTokenChange?: (token: string) => void } = {}): HatClient =>
  new HatClient({ token, apiVersion: 'v2.6', secure: false, ...options });

beforeAll(async () => {
  pda = await startTestPda({ config: { applications: [WALKS, NOTES, MAIL] } });
  const ownerToken = await signInAs(pda, OWNER.name, OWNER.password);
  applicationToken = await setUpApplication(pda, 'walks');
  // The client compares the times in a token with the system clock.
  vi.useFakeTimers({ toFake: ['Date'], now: pda.clock.now() });
  owner = HatClient.authenticate(ownerToken, false);
  application = connect(applicationToken);
});
afterAll(async () => {
  vi.useRealTimers();
  await pda.close();
});

/** Returns the body of a response as parsed by the client. */
const bodyOf = async <T>(response: Promise<{ parsedBody?: T }>): Promise<T> => {
  const { parsedBody } = await response;
  if (parsedBody === undefined) throw new Error('the client returned no body');
  return parsedBody;
};

/** Returns the error that the client throws for a response with this status. */
const refusal = (status: number) => ({ cause: 'HAT_API_EXCEPTION', message: 'HTTP_RESPONSE_FAILED', status });

/** Requests the content of the login page for a login URL of the client. */
const openLogin = async (loginUrl: string): Promise<LoginRequest> => {
  const { origin, hash } = new URL(loginUrl);
  const [path, query] = hash.split('?');
  expect([origin, path]).toStrictEqual([`http://${pda.host}`, '#/hatlogin']);
  const { name = '', redirect = '', fallback = '' } = parseLoginParameters(new URLSearchParams(query));
  const parameters = new URLSearchParams({ name, redirect, fallback });
  const reply = await pda.call('GET', `/api/v2.6/owner/login-request?${parameters.toString()}`);
  return loginRequestSchema.parse(reply.json);
};

/** Approves a sign-in as the login page does. @returns the URL to which the page redirects */
const approveLogin = async ({ application: requestedApplication, redirect }: LoginRequest): Promise<URL> => {
  if (requestedApplication === null) throw new Error('the login request names no known application');
  const { id, info } = requestedApplication.item.application;
  const json = { name: id, redirect, version: info.version, edition: requestedApplication.edition };
  const reply = await pda.call('POST', '/api/v2.6/owner/login', { json });
  return new URL(loginResponseSchema.parse(reply.json).url);
};

const tokenIn = (redirectUrl: URL): string => redirectUrl.searchParams.get('token') ?? '';

describe('sign-in', () => {
  it('at the login URL issues a token, which is valid until the owner disables the application', async () => {
    const redirect = 'https://notes.example.com/callback';
    const fallback = 'https://notes.example.com/failed';
    const loginUrl = new HatClient({}).auth().generateHatLoginUrl(`http://${pda.host}`, 'notes', redirect, fallback);
    const request = await openLogin(loginUrl);
    expect(request).toMatchObject({
      state: 'consent',
      redirect,
      failureUrl: `${fallback}?error=access_denied&error_reason=user_cancelled`,
    });
    const redirectUrl = await approveLogin(request);
    expect(redirectUrl.origin + redirectUrl.pathname).toBe(redirect);

    const client = connect(tokenIn(redirectUrl));
    expect(client.auth().getHatDomain()).toBe(`http://${pda.host}`);
    expect(await client.auth().isDomainRegistered(pda.host)).toBe(true);
    await client.hatData().create('notes', 'all', { text: 'Buy bread' });
    expect(await dataAt(pda, 'notes/all')).toStrictEqual([{ text: 'Buy bread' }]);

    expect((await pda.call('GET', '/api/v2.6/applications/notes/disable')).status).toBe(200);
    await expect(client.hatData().getAllDefault('notes', 'all')).rejects.toMatchObject(refusal(401));
    client.auth().signOut();
    expect(() => client.hatData()).toThrow('NOT_AUTHENTICATED');
  });

  it('lasts for more than three days, because responses renew the token', async () => {
    const otherPda = await startTestPda({ config: { applications: [WALKS] } });
    try {
      const token = await setUpApplication(otherPda, 'walks');
      const renewedTokens: string[] = [];
      const client = connect(token, { onTokenChange: (renewedToken) => renewedTokens.push(renewedToken) });
      for (let day = 1; day <= 5; day += 1) {
        otherPda.clock.advance(DAY_MS);
        vi.setSystemTime(otherPda.clock.now());
        expect(await bodyOf(client.hatData().getAllDefault('walks', 'all'))).toStrictEqual([]);
        expect(renewedTokens).toHaveLength(day);
      }
      const currentToken = client.auth().getToken() ?? '';
      expect(currentToken).toBe(renewedTokens.at(-1));
      // The client refuses tokens that were issued more than three days ago.
      expect([token, currentToken].map((value) => client.auth().isTokenExpired(value))).toStrictEqual([true, false]);
    } finally {
      vi.setSystemTime(pda.clock.now());
      await otherPda.close();
    }
  });
});

describe('applications', () => {
  it('are listed for the owner with their status', async () => {
    const list = await bodyOf(owner.applications().getAllDefault());
    expect(list.map((item) => item.application.id)).toStrictEqual(['walks', 'notes', 'mail']);
    // The PDA ignores these options, because the API defines no parameters for this list.
    const options = { orderBy: 'name', ordering: 'descending' };
    expect(await bodyOf(owner.applications().getAll(options))).toStrictEqual(list);
    const walks = await bodyOf(owner.applications().getById('walks'));
    expect(walks).toMatchObject({ setup: true, enabled: true, active: true, needsUpdating: false });
    expect(owner.applications().getAppStatus(walks)).toBe('goto');
    await expect(application.applications().getAllDefault()).rejects.toMatchObject(refusal(403));
  });

  it('are set up through the setup URL of a Data Plug', async () => {
    const findMail = () => bodyOf(owner.applications().getById('mail'));
    const mail = await findMail();
    expect(owner.applications().getAppStatus(mail)).toBe('untouched');
    const returnUrl = 'https://walks.example.com/done';
    const setupUrl = owner.applications().getSetupUrl(mail, returnUrl, 'https://walks.example.com/failed');
    const redirectUrl = await approveLogin(await openLogin(setupUrl));
    expect(redirectUrl.origin + redirectUrl.pathname).toBe(PLUG_URL);
    expect(redirectUrl.searchParams.get('redirect')).toBe(returnUrl);

    // A plug without data is never `fetching`, because the client compares the kind with `DataPlug`.
    expect(owner.applications().getAppStatus(await findMail())).toBe('running');
    await connect(tokenIn(redirectUrl)).hatData().create('mail', 'all', { subject: 'Hello' });
    expect(await dataAt(pda, 'mail/all')).toStrictEqual([{ subject: 'Hello' }]);
    expect((await findMail()).mostRecentData).toBe(new Date(pda.clock.now()).toISOString());
  });
});

describe('records', () => {
  it('are created, read, updated and deleted', async () => {
    const data = application.hatData();
    const harbour = await bodyOf(data.create('walks', 'daily', { place: 'harbour', km: 4 }));
    expect(harbour).toStrictEqual({
      endpoint: 'walks/daily',
      recordId: expect.any(String),
      data: { place: 'harbour', km: 4 },
    });
    const park = await bodyOf(data.create('walks', 'daily', { place: 'park', km: 2 }));
    expect(await bodyOf(data.getAllDefault('walks', 'daily'))).toStrictEqual([harbour, park]);

    const changedHarbour = { ...harbour, data: { place: 'harbour', km: 5 } };
    expect(await bodyOf(data.update([changedHarbour]))).toStrictEqual([changedHarbour]);
    expect(await dataAt(pda, 'walks/daily')).toStrictEqual([changedHarbour.data, park.data]);

    const ids = [harbour.recordId, park.recordId];
    expect(await bodyOf(data.delete(ids))).toStrictEqual({ message: 'All records deleted' });
    expect(await dataAt(pda, 'walks/daily')).toStrictEqual([]);
  });

  it('are created from an array, and read in pages, sorted, and by the value of a field', async () => {
    const data = application.hatData();
    const walks = [3, 1, 2].map((km) => ({ km }));
    expect(await bodyOf(data.create('walks', 'trips/long', walks))).toHaveLength(3);
    expect(await dataAt(pda, 'walks/trips/long')).toStrictEqual(walks);
    const read = async (options: Record<string, string>): Promise<number[]> => {
      const records = await bodyOf(data.getAll<{ km: number }>('walks', 'trips/long', options));
      return records.map((record) => record.data.km);
    };
    expect(await read({ orderBy: 'km' })).toStrictEqual([1, 2, 3]);
    expect(await read({ orderBy: 'km', ordering: 'descending', skip: '1', take: '1' })).toStrictEqual([2]);
    expect(await read({ km: '3' })).toStrictEqual([3]);
  });

  it('of other namespaces are refused, and nothing is stored', async () => {
    const data = application.hatData();
    await expect(data.create('diary', 'days', { text: 'x' })).rejects.toMatchObject(refusal(403));
    await expect(data.getAllDefault('diary', 'days')).rejects.toMatchObject(refusal(403));
    expect(await dataAt(pda, 'diary/days')).toStrictEqual([]);
  });
});

describe('files', () => {
  const upload = (name: string, tags: string[], content: ArrayBuffer | Buffer) =>
    bodyOf(application.files().uploadFile({ name, source: 'walks', title: 'A walk', tags }, content, 'text/plain'));
  /** Requests the content URL of a file. Returns undefined if the file is not accessible. */
  const readContent = async (fileId: string, headers: Record<string, string> = {}): Promise<string | undefined> => {
    const response = await fetch(application.files().generateFileContentUrl(fileId), { headers });
    if (response.ok) return response.text();
    expect(response.status).toBe(404);
    return undefined;
  };
  const applicationHeaders = () => ({ 'x-auth-token': applicationToken });

  it('are uploaded, described and found', async () => {
    const content = 'Along the harbour.';
    const harbour = await upload('Harbour.txt', ['harbour', 'winter'], Buffer.from(content));
    expect(harbour).toMatchObject({
      fileId: 'walksharbour.txt',
      name: 'Harbour.txt',
      source: 'walks',
      tags: ['harbour', 'winter'],
      status: { status: 'Completed', size: content.length },
      contentPublic: false,
      permissions: [{ contentReadable: true }],
    });
    expect(readFileSync(join(pda.home, 'files/walks/Harbour.txt'), 'utf8')).toBe(content);
    expect(await readContent(harbour.fileId, applicationHeaders())).toBe(content);
    const beach = await upload('Beach.txt', ['winter'], new Uint8Array(Buffer.from('Along the beach.')).buffer);
    expect(readFileSync(join(pda.home, 'files/walks/Beach.txt'), 'utf8')).toBe('Along the beach.');

    const change = { name: 'Pier.txt', source: 'walks', tags: ['pier', 'winter'] };
    expect(await bodyOf(application.files().updateFileParameters(harbour.fileId, change))).toMatchObject(change);
    expect(await readFileRecord(pda, harbour.fileId)).toMatchObject({ ...change, title: 'A walk' });

    const search = async (name: string, tags: string[]): Promise<string[]> => {
      const files = await bodyOf(application.files().searchFiles({ name, source: 'walks', tags }));
      return files.map(({ fileId }) => fileId);
    };
    expect(await search('', ['winter'])).toStrictEqual([harbour.fileId, beach.fileId]);
    expect(await search('', ['winter', 'pier'])).toStrictEqual([harbour.fileId]);
    expect(await search('Beach.txt', [])).toStrictEqual([beach.fileId]);
    expect(await search('Harbour.txt', [])).toStrictEqual([]);
  });

  it('are published, made private and deleted by the owner only', async () => {
    const { fileId } = await upload('Map.txt', ['map'], Buffer.from('Turn left.'));
    expect(await readContent(fileId)).toBeUndefined();
    for (const change of ['markFileAsPublic', 'markFileAsPrivate', 'deleteFile'] as const)
      await expect(application.files()[change](fileId)).rejects.toMatchObject(refusal(403));

    expect(await bodyOf(owner.files().markFileAsPublic(fileId))).toMatchObject({ fileId, contentPublic: true });
    expect(await readContent(fileId)).toBe('Turn left.');
    expect(await bodyOf(owner.files().markFileAsPrivate(fileId))).toMatchObject({ fileId, contentPublic: false });
    expect(await readContent(fileId)).toBeUndefined();
    expect(await readContent(fileId, applicationHeaders())).toBe('Turn left.');

    expect(await bodyOf(owner.files().deleteFile(fileId))).toMatchObject({ fileId, status: { status: 'Deleted' } });
    expect(await readContent(fileId, applicationHeaders())).toBeUndefined();
    expect(await searchFiles(pda, { fileId })).toStrictEqual([]);
  });

  it('of other sources are refused, and nothing is stored', async () => {
    const metadata = { name: 'Day.txt', source: 'diary' };
    const refusedUpload = application.files().uploadFile(metadata, Buffer.from('x'), 'text/plain');
    await expect(refusedUpload).rejects.toMatchObject(refusal(403));
    expect(await searchFiles(pda, { source: 'diary' })).toStrictEqual([]);
  });
});

describe('Data Debits', () => {
  it('share values with the requester from the approval until the owner disables the Data Debit', async () => {
    await storeEvents(pda);
    const debits = application.dataDebits();
    const ownerCalls = createDebitCalls(pda);
    await createDebitCalls(pda, applicationToken).propose('lunch');
    await ownerCalls.propose('dinner');
    expect(await bodyOf(debits.getById('lunch'))).toMatchObject({
      dataDebitKey: 'lunch',
      requestClientName: 'Lunch Ltd',
      accepted: false,
      active: false,
      permissions: [{ accepted: false, bundle: { name: 'lunch-bundle' } }],
    });
    await expect(debits.getDataDebitValues('lunch')).rejects.toMatchObject(refusal(400));

    await ownerCalls.enable('lunch');
    expect(await bodyOf(debits.getById('lunch'))).toMatchObject({
      accepted: true,
      active: true,
      permissionsActive: { accepted: true, active: true },
    });
    const { bundle } = await bodyOf(debits.getDataDebitValues('lunch'));
    expect(bundle['events']?.map(({ data }) => data)).toStrictEqual(SHARED_VALUES.events);

    await ownerCalls.disable('lunch');
    await expect(debits.getDataDebitValues('lunch')).rejects.toMatchObject(refusal(400));

    const keysOf = async (list: ReturnType<typeof debits.getAllDefault>): Promise<string[]> =>
      (await bodyOf(list)).map(({ dataDebitKey }) => dataDebitKey);
    expect(await keysOf(debits.getAllDefault())).toStrictEqual(['lunch']);
    expect(await keysOf(owner.dataDebits().getAllDefault())).toStrictEqual(['dinner', 'lunch']);
    expect(await keysOf(owner.dataDebits().getAll({ skip: '1', take: '1' }))).toStrictEqual(['lunch']);
    await expect(debits.getById('dinner')).rejects.toMatchObject(refusal(404));
  });
});
