import Sqlite from 'better-sqlite3';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../server/platform/log.ts';
import { createPda } from '../server/pda/pda.ts';
import { issuedInvitationSchema, invitationsSchema } from '../server/wire/invitations.ts';
import { formerKeysSchema } from '../server/wire/move.ts';
import { crawl, requestJson, type Responses } from './support/crawl.ts';
import { createGuestBrowser, INVITATIONS } from './support/guests.ts';
import {
  downloadArchive,
  fillAccount,
  GUEST_PASSWORD,
  writeApplicationList,
  MOVE_PATH,
  prepareHome,
  readArchive,
  readGuestPages,
  uploadArchive,
  readMoveView,
  type FilledAccount,
} from './support/move.ts';
import {
  killProcesses,
  newFolder,
  newHome,
  removeFolders,
  startServer,
  until,
  type ServerProcess,
} from './support/server-process.ts';
import { OWNER } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Moves an account with data of many kinds to another PDA. Its responses must be the same there, except for state that
// belongs to the PDA, and no secret is transferred.

const NEW_GUEST_PASSWORD = 'a wide meadow beyond the river';

/** Timeout of a hook and of a test. They start servers and read every response, which is slow on a busy machine. */
const TIMEOUT_MS = 600_000;

let home: string;
let otherHome: string;
let source: ServerProcess;
let account: FilledAccount;
let archive: string;
/** Time at which the account is complete. Later entries of the access log are not compared. */
let accessLogEnd: string;
let originalResponses: Responses;
let guestPages: Map<string, string>;
let invitationPath: string;

const listParameterValues = () => ({
  userId: [account.userId],
  id: ['steps-view', 'steps-study', 'activity-summary'],
  functionId: ['activity-summary'],
});

/** Paths of state that belongs to a PDA and not to the account, such as its keys and its second factor. */
const LOCAL_STATE =
  /\/owner\/(?:move|outbox|restore|second-factor|setup)|\.well-known|publickey|\/system\/|healthz|\/owner\/status/u;
/** Removes permitted differences: the body of a 404 for file content, and sessions of applications and users. */
const removeLocalDetails = (path: string, text: string): string =>
  path.includes('content') && text.startsWith('404')
    ? '404'
    : // Applications and users have to sign in again after a move.
      text.replaceAll(/,?"(?:sessions":\d+|lastSeen":(?:null|"[^"]+"))/gu, '');

const readResponses = async (server: ServerProcess): Promise<Responses> => {
  const responses = await crawl(server, accessLogEnd, listParameterValues());
  const ledger = await server.call('GET', `/api/v2.6/owner/ledger?to=${accessLogEnd}&application=steps-view&take=100`);
  responses.set('ledger of an application', ledger.text);
  const [record] = await requestJson<{ recordId: string }[]>(server, 'GET', '/api/v2.6/data/fit/steps?take=1&skip=12');
  responses.set(
    'ledger of a record',
    (await server.call('GET', `/api/v2.6/owner/ledger?to=${accessLogEnd}&record=${record?.recordId}&take=100`)).text,
  );
  responses.set(
    'ledger by days',
    JSON.stringify(
      (await requestJson<{ who: { kind: string } }[]>(server, 'GET', '/api/v2.6/owner/ledger-days?days=2')).filter(
        // Accesses by the owner and anonymous callers belong to the old location.
        ({ who }) => who.kind === 'application',
      ),
    ),
  );
  return new Map(
    [...responses]
      .filter(([path]) => !LOCAL_STATE.test(path))
      .map(([path, text]) => [path, removeLocalDetails(path, text)] as const),
  );
};

beforeAll(async () => {
  home = await newHome();
  otherHome = join(newFolder(), 'home');
  await prepareHome(home);
  // Creates a new account with new keys.
  const emptyPda = await createPda({ home: otherHome, log: silentLog() });
  await emptyPda.owner.init(OWNER.name, OWNER.password);
  await emptyPda.close();
  source = await startServer(home);
  account = await fillAccount(source, home);
  accessLogEnd = new Date().toISOString();
  originalResponses = await readResponses(source);
  const guest = createGuestBrowser(source);
  await guest.post('/guest/sign-in', { name: 'grace', password: GUEST_PASSWORD });
  guestPages = await readGuestPages(guest, source.port);
  invitationPath = issuedInvitationSchema.parse(
    await requestJson(source, 'POST', INVITATIONS, { name: 'Alan', days: 7, fileIds: [] }),
  ).path;
  account.secrets.push(invitationPath.split('/').at(-1) ?? '');
  archive = join(newFolder(), 'ada.zip');
}, TIMEOUT_MS);
afterAll(async () => {
  await killProcesses();
  removeFolders();
});

describe('an export', () => {
  it('requires the password, and its URL is valid once', async () => {
    const refusedReply = await source.call('POST', `${MOVE_PATH}/exports`, { json: { password: 'not this one' } });
    expect(refusedReply.status).toBe(403);
    const url = await downloadArchive(source, archive);
    expect((await fetch(`http://127.0.0.1:${source.port}${url}`)).status).toBe(404);
    const history = await requestJson<{ rows: { action: string; outcome: string }[] }>(
      source,
      'GET',
      '/api/v2.6/owner/ledger?take=5',
    );
    expect(history.rows.map(({ action, outcome }) => `${action} ${outcome}`)).toContain('export-all allowed');
    expect(history.rows.map(({ action, outcome }) => `${action} ${outcome}`)).toContain('export-all refused');
    const { exported, exporting } = await until(async () => {
      const view = await readMoveView(source);
      return view.exporting === null ? view : undefined;
    }, 'the export has finished');
    expect(exporting).toBeNull();
    expect(exported?.counts).toMatchObject({
      records: 2002,
      applications: 2,
      consents: 2,
      people: 1,
      missing: 0,
      later: 0,
    });
    expect(existsSync(join(home, 'backups/move'))).toBe(true);
  });

  it('contains the data as plain text and files, and no credentials', async () => {
    const files = await readArchive(archive);
    expect(files.get('files/dropped.md')?.toString()).toBe('# by hand');
    const lines = (files.get('records.ndjson')?.toString() ?? '').trimEnd().split('\n');
    expect(lines).toHaveLength(2002);
    expect(lines.at(-1)).toContain('"data":{"kilos":1.50,"big":12345678901234567890,');
    const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true });
    const texts = (sql: string): string[] =>
      db
        .prepare<[], Buffer | string>(sql)
        .pluck()
        .all()
        .flatMap((value) =>
          Buffer.isBuffer(value)
            ? [value.toString('hex'), value.toString('base64'), value.toString('latin1')]
            : [value],
        );
    const secrets = [
      ...account.secrets,
      ...texts('SELECT password_hash FROM owner'),
      ...texts('SELECT password_hash FROM users'),
      ...texts('SELECT private_pem FROM signing_keys').flatMap((pem) => [pem, pem.split('\n')[5] ?? '']),
      ...texts('SELECT nonce FROM files WHERE nonce IS NOT NULL'),
      ...texts('SELECT key FROM file_secret'),
      ...texts('SELECT jti FROM sessions'),
    ];
    const publicKeys = texts('SELECT public_pem FROM signing_keys');
    db.close();
    expect(secrets.length).toBeGreaterThan(12);
    for (const [name, content] of files)
      for (const secret of secrets)
        expect([name, secret.length > 5 && content.includes(secret)]).toStrictEqual([name, false]);
    expect(files.get('keys.ndjson')?.toString()).toContain(JSON.stringify(publicKeys[0]));
  });
});

describe('an imported account', { timeout: TIMEOUT_MS }, () => {
  let target: ServerProcess;
  beforeAll(async () => {
    writeApplicationList(otherHome);
    target = await startServer(otherHome);
    expect(await readMoveView(target)).toMatchObject({ canImport: true, problem: null, archive: null, arrived: null });
  }, TIMEOUT_MS);

  it('gives the same responses as the original', async () => {
    const checkedView = await uploadArchive(target, archive);
    expect(checkedView.archive).toMatchObject({
      state: 'ready',
      problem: null,
      from: { name: OWNER.name, counts: { records: 2002 } },
    });
    const importReply = await target.call('POST', `${MOVE_PATH}/import`);
    expect(importReply.status).toBe(202);
    // The server restarts automatically, without sessions.
    await until(async () => {
      const reply = await target.call('GET', MOVE_PATH).catch(() => undefined);
      return reply?.status === 401;
    }, 'the server has restarted');
    await target.signIn();
    const { arrived } = await readMoveView(target);
    expect(arrived).toMatchObject({
      name: OWNER.name,
      settled: null,
      followUps: { applications: ['steps-study', 'steps-view'], contracts: ['steps-study'], people: ['grace'] },
    });
    const responses = await readResponses(target);
    const differences = [...originalResponses].filter(([path, text]) => responses.get(path) !== text);
    expect(differences.map(([path, text]) => [path, text, responses.get(path)])).toStrictEqual([]);
    expect(responses.size).toBe(originalResponses.size);
    expect(originalResponses.size).toBeGreaterThan(60);
  });

  it('accepts no token of the original, and still publishes the key that signed its data', async () => {
    const [token = ''] = account.secrets;
    expect((await target.call('GET', '/api/v2.6/data/fit/steps', { headers: { 'x-auth-token': token } })).status).toBe(
      401,
    );
    const { keys } = formerKeysSchema.parse(await requestJson(target, 'GET', '/.well-known/former-keys.json'));
    const originalKeys = (await requestJson<{ keys: { kid: string }[] }>(source, 'GET', '/.well-known/jwks.json')).keys;
    const targetKeys = (await requestJson<{ keys: { kid: string }[] }>(target, 'GET', '/.well-known/jwks.json')).keys;
    expect(keys.map(({ kid }) => kid)).toStrictEqual(originalKeys.map(({ kid }) => kid));
    expect(targetKeys.map(({ kid }) => kid)).not.toContain(originalKeys[0]?.kid);
  });

  it('is not reachable until the owner confirms the new location, and then joins its contracts again', async () => {
    const exposure = await requestJson<{ dark: boolean }>(target, 'GET', '/api/v2.6/owner/exposure');
    expect(exposure.dark).toBe(true);
    const settleReply = await requestJson<{ arrived: { settled: string | null } }>(
      target,
      'POST',
      `${MOVE_PATH}/settle`,
    );
    expect(settleReply.arrived.settled).not.toBeNull();
    expect((await requestJson<{ dark: boolean }>(target, 'GET', '/api/v2.6/owner/exposure')).dark).toBe(false);
    const repeatedReply = await target.call('POST', `${MOVE_PATH}/settle`);
    expect([repeatedReply.status, repeatedReply.text]).toStrictEqual([
      409,
      expect.stringContaining('The imported account is already active.'),
    ]);
    const [contract] = await requestJson<{ state: string }[]>(target, 'GET', '/api/v2.6/owner/contracts');
    expect(contract?.state).toBe('joining');
  });

  it('can be activated only at the PDA that imported it', async () => {
    const refusedReply = await source.call('POST', `${MOVE_PATH}/settle`);
    expect([refusedReply.status, refusedReply.text]).toStrictEqual([
      409,
      expect.stringContaining('This account was not imported'),
    ]);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'lets a guest open the same tables, charts and collection with a new password, and ends open invitations',
    async () => {
      expect([...guestPages.values()].every((page) => page.startsWith('200 '))).toBe(true);
      expect([...guestPages.keys()].map((path) => path.split('/')[2] ?? '').toSorted()).toStrictEqual([
        '',
        'charts',
        'charts',
        'collections',
        'tables',
        'tables',
      ]);
      const browser = createGuestBrowser(target);
      await browser.post('/guest/sign-in', { name: 'grace', password: GUEST_PASSWORD });
      expect(browser.cookie).toBeUndefined();
      const link = await requestJson(target, 'POST', `${INVITATIONS}/password`, { userId: account.userId, days: 7 });
      const { path } = issuedInvitationSchema.parse(link);
      const passwords = { password: NEW_GUEST_PASSWORD, repeat: NEW_GUEST_PASSWORD };
      expect((await browser.post(path, passwords)).headers.location).toBe('/guest');
      expect(await readGuestPages(browser, target.port)).toStrictEqual(guestPages);

      const { invitations } = invitationsSchema.parse(await requestJson(target, 'GET', INVITATIONS));
      expect(invitations.filter(({ kind }) => kind !== 'password')).toStrictEqual([]);
      expect((await createGuestBrowser(target).get(invitationPath)).status).toBe(404);
    },
  );

  it('stores new records after the imported ones', async () => {
    const record = await requestJson<{ recordId: string }>(target, 'POST', '/api/v2.6/data/fit/steps', { steps: 1 });
    const records = await requestJson<{ recordId: string }[]>(target, 'GET', '/api/v2.6/data/fit/steps?take=100000');
    expect(records.at(-1)?.recordId).toBe(record.recordId);
  });

  it('accepts no second archive, because it is no longer empty', async () => {
    expect((await readMoveView(target)).canImport).toBe(false);
    const refusedReply = await target.call('POST', `${MOVE_PATH}/archive`, {
      json: { fileName: 'ada.zip', size: readFileSync(archive).length },
    });
    expect([refusedReply.status, refusedReply.text]).toStrictEqual([
      409,
      expect.stringContaining('This account is not empty.'),
    ]);
  });
});
