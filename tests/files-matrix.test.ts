import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerFilesSchema } from '../server/wire/files.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { createFileRecord, searchFiles, storeFile } from './support/files.ts';
import { until } from './support/server-process.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser, signInAs } from './support/users.ts';

// Tests access to files in every state over HTTP: with tokens of the owner, applications and users, and without one.

const FILES = '/api/v2.6/files';

/** Result for a file: status of the record, of the content and of a change, and whether a search finds it. */
type AccessResult = [record: number, content: number, change: number, found: boolean];
const FULL_ACCESS: AccessResult = [200, 303, 200, true];
const CONTENT_ACCESS: AccessResult = [200, 303, 403, true];
const RECORD_ACCESS: AccessResult = [200, 404, 403, true];
/** Result for callers with rights to some sources, but not to the source of the file. */
const NO_ACCESS: AccessResult = [404, 404, 404, false];
/** Result for callers without rights to any source. */
const NO_SOURCE_ACCESS: AccessResult = [404, 404, 403, false];
/** Result for callers without a valid token, unless the file is public. */
const NO_TOKEN: AccessResult = [401, 404, 401, false];

const EXPECTED_ACCESS: Record<string, Record<string, AccessResult>> = {
  private: {
    'the owner': FULL_ACCESS,
    'the application that uploaded it': FULL_ACCESS,
    'another application of this source': FULL_ACCESS,
    'an application of another source': NO_ACCESS,
    'an application with the role owner': NO_SOURCE_ACCESS,
    'an application without rights to files': NO_SOURCE_ACCESS,
    'a user': NO_SOURCE_ACCESS,
    'a user who may see it': RECORD_ACCESS,
    'a user who may open it': CONTENT_ACCESS,
    'a disabled user': NO_TOKEN,
    'a disabled application': NO_TOKEN,
    'an expired token': NO_TOKEN,
    'an anonymous caller': NO_TOKEN,
  },
  public: {
    'the owner': FULL_ACCESS,
    'the application that uploaded it': FULL_ACCESS,
    'another application of this source': FULL_ACCESS,
    'an application of another source': CONTENT_ACCESS,
    'an application with the role owner': CONTENT_ACCESS,
    'an application without rights to files': CONTENT_ACCESS,
    'a user': CONTENT_ACCESS,
    'a user who may see it': CONTENT_ACCESS,
    'a user who may open it': CONTENT_ACCESS,
    'a disabled user': [401, 303, 401, false],
    'a disabled application': [401, 303, 401, false],
    'an expired token': [401, 303, 401, false],
    'an anonymous caller': [401, 303, 401, false],
  },
  'private again': {},
  'from the folder': {
    'the owner': FULL_ACCESS,
    'the application that uploaded it': NO_ACCESS,
    'another application of this source': NO_ACCESS,
    'an application of another source': NO_ACCESS,
    'an application with the role owner': NO_SOURCE_ACCESS,
    'an application without rights to files': NO_SOURCE_ACCESS,
    'a user': NO_SOURCE_ACCESS,
    'a user who may see it': RECORD_ACCESS,
    'a user who may open it': CONTENT_ACCESS,
    'a disabled user': NO_TOKEN,
    'a disabled application': NO_TOKEN,
    'an expired token': NO_TOKEN,
    'an anonymous caller': NO_TOKEN,
  },
  deleted: {
    'the owner': [200, 404, 200, false],
    'the application that uploaded it': [200, 404, 200, false],
    'an application of another source': NO_ACCESS,
    'a user who may open it': NO_SOURCE_ACCESS,
    'an anonymous caller': NO_TOKEN,
  },
  new: {
    'the owner': [200, 404, 200, true],
    'the application that uploaded it': [200, 404, 200, true],
    'an application of another source': NO_ACCESS,
    'a user who may open it': RECORD_ACCESS,
    'an anonymous caller': NO_TOKEN,
  },
};
EXPECTED_ACCESS['private again'] = EXPECTED_ACCESS['private'] ?? {};

/** Query parameters for the whole world as an area. */
const WORLD = 'west=-180&south=-90&east=180&north=90';

const OWNER_REQUESTS: readonly [method: string, path: (fileId: string, userId: string) => string][] = [
  ['GET', (fileId, userId) => `${FILES}/allowAccess/${fileId}/${userId}`],
  ['GET', (fileId, userId) => `${FILES}/restrictAccess/${fileId}/${userId}`],
  ['POST', (_, userId) => `${FILES}/allowAccess/${userId}`],
  ['POST', (_, userId) => `${FILES}/restrictAccess/${userId}`],
  ['GET', (fileId) => `${FILES}/allowAccessPublic/${fileId}`],
  ['GET', (fileId) => `${FILES}/restrictAccessPublic/${fileId}`],
  ['DELETE', (fileId) => `${FILES}/file/${fileId}`],
  ['GET', () => '/api/v2.6/owner/files'],
  ['GET', () => '/api/v2.6/owner/files/summary'],
  ['GET', () => '/api/v2.6/owner/files/folders'],
  ['GET', () => '/api/v2.6/owner/files/readers'],
  ['GET', () => '/api/v2.6/owner/files/months'],
  ['GET', () => '/api/v2.6/owner/files/map/extent'],
  ['GET', () => `/api/v2.6/owner/files/map/clusters?zoom=3&${WORLD}`],
  ['GET', () => `/api/v2.6/owner/files/map/pictures?${WORLD}`],
  ['POST', () => '/api/v2.6/owner/files/place-counts'],
  ['POST', () => '/api/v2.6/owner/files/make-private'],
  ['GET', (fileId) => `/api/v2.6/owner/files/file/${fileId}`],
  ['POST', (fileId) => `/api/v2.6/owner/files/file/${fileId}/restore`],
  ['GET', (fileId) => `/api/v2.6/owner/files/file/${fileId}/upload`],
  ['DELETE', (fileId) => `/api/v2.6/owner/files/file/${fileId}/upload`],
];

const fileManager = (id: string, source: string) =>
  anApplication({ id, roles: [{ role: 'managefiles', detail: source }] });

let pda: TestPda;
const tokens = new Map<string, string | null>();
const files = new Map<string, string>();
const users = new Map<string, string>();
beforeAll(async () => {
  pda = await startTestPda({
    watchesFiles: true,
    config: {
      applications: [
        fileManager('camera', 'photos'),
        fileManager('viewer', 'photos'),
        fileManager('bank', 'statements'),
        fileManager('ended', 'photos'),
        anApplication({ id: 'browser', roles: [{ role: 'owner' }] }),
        anApplication({ id: 'notes', roles: [{ role: 'namespaceread', detail: 'photos' }] }),
      ],
    },
  });
  // The token expires, because the clock advances before the tests.
  tokens.set('an expired token', await pda.signIn());
  pda.clock.advance(31 * 86_400_000);
  pda.token = await pda.signIn();
  const camera = await setUpApplication(pda, 'camera');
  tokens.set('the owner', pda.token);
  tokens.set('an anonymous caller', null);
  tokens.set('the application that uploaded it', camera);
  tokens.set('another application of this source', await setUpApplication(pda, 'viewer'));
  tokens.set('an application of another source', await setUpApplication(pda, 'bank'));
  tokens.set('an application with the role owner', await setUpApplication(pda, 'browser'));
  tokens.set('an application without rights to files', await setUpApplication(pda, 'notes'));
  tokens.set('a disabled application', await setUpApplication(pda, 'ended'));
  await pda.call('GET', '/api/v2.6/applications/ended/disable');
  for (const [caller, name] of [
    ['a user', 'ann'],
    ['a user who may see it', 'bob'],
    ['a user who may open it', 'cyd'],
    ['a disabled user', 'dan'],
  ] as const) {
    users.set(caller, (await addUser(pda, name)).userId);
    tokens.set(caller, await signInAs(pda, name));
  }
  await pda.call('PUT', `/users/user/${users.get('a disabled user')}/disable`);

  for (const kind of ['private', 'public', 'private again', 'deleted'])
    files.set(kind, (await storeFile(pda, `${kind}.txt`, kind, { source: 'photos' }, camera)).fileId);
  files.set('new', (await createFileRecord(pda, 'new.txt', { source: 'photos' }, camera)).fileId);
  const folder = join(pda.home, 'files', 'photos');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'dropped.txt'), 'by hand');
  await until(async () => {
    const reply = await pda.call('GET', '/api/v2.6/owner/files?search=dropped');
    const [listedFile] = ownerFilesSchema.parse(reply.json).files;
    if (listedFile !== undefined) files.set('from the folder', listedFile.file.fileId);
    return listedFile?.from === 'folder';
  }, 'the file in the folder is registered');
  for (const fileId of files.values()) {
    await pda.call('GET', `${FILES}/allowAccess/${fileId}/${users.get('a user who may see it')}`);
    await pda.call('GET', `${FILES}/allowAccess/${fileId}/${users.get('a user who may open it')}?content=true`);
    await pda.call('GET', `${FILES}/allowAccess/${fileId}/${users.get('a disabled user')}?content=true`);
  }
  await pda.call('GET', `${FILES}/allowAccessPublic/${files.get('public')}`);
  await pda.call('GET', `${FILES}/allowAccessPublic/${files.get('private again')}`);
  await pda.call('GET', `${FILES}/restrictAccessPublic/${files.get('private again')}`);
  await pda.call('DELETE', `${FILES}/file/${files.get('deleted')}`);
});
afterAll(() => pda.close());

const callWith = (callerName: string, method: string, path: string, json?: unknown) =>
  pda.call(method, path, { token: tokens.get(callerName) ?? null, ...(json === undefined ? {} : { json }) });

describe.each(Object.keys(EXPECTED_ACCESS))('a file that is %s', (kind) => {
  it.each(Object.entries(EXPECTED_ACCESS[kind] ?? {}))('gives %s the access in the table', async (caller, expected) => {
    const fileId = files.get(kind) ?? '';
    const record = await callWith(caller, 'GET', `${FILES}/file/${fileId}`);
    const content = await callWith(caller, 'GET', `${FILES}/content/${fileId}`);
    const change = await callWith(caller, 'PUT', `${FILES}/file/${fileId}`, { title: 'Changed' });
    const token = tokens.get(caller);
    const isFound =
      record.status === 401 || typeof token !== 'string'
        ? false
        : (await searchFiles(pda, { fileId }, token)).includes(fileId);
    expect([record.status, content.status, change.status, isFound]).toEqual(expected);
    if (record.status === 200) {
      const mayRead = content.status === 303;
      expect('contentUrl' in (record.json as object)).toBe(mayRead);
      const seesPermissions =
        caller === 'the owner' || (caller === 'the application that uploaded it' && kind !== 'from the folder');
      expect('permissions' in (record.json as object)).toBe(seesPermissions);
    }
    if (content.status === 303) {
      const response = await fetch(content.headers.location ?? '');
      expect(await response.text()).toBe(kind === 'from the folder' ? 'by hand' : kind);
    }
  });
});

describe('owner-only routes', () => {
  it.each(Object.keys(EXPECTED_ACCESS['private'] ?? {}).filter((caller) => caller !== 'the owner'))(
    'refuse %s',
    async (caller) => {
      const refusedStatus = EXPECTED_ACCESS['private']?.[caller]?.[0] === 401 ? 401 : 403;
      for (const [method, path] of OWNER_REQUESTS) {
        const address = path(files.get('private') ?? '', users.get('a user') ?? '');
        const reply = await callWith(caller, method, address, method === 'POST' ? {} : undefined);
        expect([method, address, reply.status]).toEqual([method, address, refusedStatus]);
      }
    },
  );
});
