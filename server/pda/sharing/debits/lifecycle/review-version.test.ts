import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anApplication, type ApplicationInput } from '../../../../../tests/support/applications.ts';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import {
  startWithApplications,
  applicationUrl,
  type ApplicationTest,
} from '../../applications/harness.test-support.ts';
import { aBundle, createDebitCalls, startDebits, storeEvents, type DebitCalls } from '../harness.test-support.ts';

const WRONG_STATE = [409, 'wrong_state'];
const ENABLE_PATH = 'data-debit/lunch/enable';
const WIDER_REQUEST = { bundle: aBundle('lunch-bundle', 'calendar/events') };

describe('enabling a Data Debit', () => {
  let pda: TestPda;
  let owner: DebitCalls;
  let requester: DebitCalls;
  beforeEach(async () => {
    ({ pda, owner, requester } = await startDebits());
    await storeEvents(pda);
  });
  afterEach(() => pda.close());

  it.each(['data-debit', 'data-debit/lunch', 'data-debit/lunch/preview', 'owner/debits', 'owner/debits/lunch'])(
    'approves only what GET %s showed to the session',
    async (path) => {
      await requester.propose('lunch');
      await owner.call('GET', path);
      await requester.update('lunch', WIDER_REQUEST);
      expect(await owner.expectRefusal('GET', ENABLE_PATH)).toStrictEqual(WRONG_STATE);
      expect((await requester.find('lunch')).accepted).toBe(false);
      await owner.call('GET', path);
      expect((await owner.enable('lunch')).active).toBe(true);
    },
  );

  it('approves only what the preview of the request page showed', async () => {
    const { permissionsLatest } = await requester.propose('lunch');
    await owner.call('POST', 'owner/debits/lunch/preview', { permissionId: permissionsLatest.permissionId });
    await requester.update('lunch', WIDER_REQUEST);
    expect(await owner.expectRefusal('GET', ENABLE_PATH)).toStrictEqual(WRONG_STATE);
  });

  it('does not count the preview of a paused permission as a review of the pending request', async () => {
    await requester.propose('lunch');
    await owner.find('lunch');
    await owner.enable('lunch');
    await owner.pause('lunch', new Date(pda.clock.now() + 60_000).toISOString());
    await requester.update('lunch', WIDER_REQUEST);
    await owner.call('GET', 'data-debit/lunch/preview');
    expect(await owner.expectRefusal('GET', ENABLE_PATH)).toStrictEqual(WRONG_STATE);
  });

  it('keeps the reviewed version of a session across a restart', async () => {
    await requester.propose('lunch');
    await owner.find('lunch');
    await requester.update('lunch', WIDER_REQUEST);
    const { token } = pda;
    await pda.restart();
    expect(await createDebitCalls(pda, token).expectRefusal('GET', ENABLE_PATH)).toStrictEqual(WRONG_STATE);
  });

  it('accepts an approval by a session that never read the request, independently of other sessions', async () => {
    await requester.propose('lunch');
    await owner.find('lunch');
    const otherSession = createDebitCalls(pda, await pda.signIn());
    await requester.update('lunch', WIDER_REQUEST);
    expect(await owner.expectRefusal('GET', ENABLE_PATH)).toStrictEqual(WRONG_STATE);
    expect((await otherSession.enable('lunch')).active).toBe(true);
  });

  it('refuses the id of a withdrawn permission', async () => {
    const olderId = (await requester.propose('lunch')).permissionsLatest.permissionId;
    const newerId = (await requester.update('lunch', WIDER_REQUEST)).permissionsLatest.permissionId;
    expect(await owner.expectRefusal('GET', `${ENABLE_PATH}?permissionId=${olderId}`)).toStrictEqual(WRONG_STATE);
    const enableReply = await owner.call('GET', `${ENABLE_PATH}?permissionId=${newerId}`);
    expect(enableReply.json).toMatchObject({ permissionsActive: { permissionId: newerId } });
    // After the approval, the newer permission is active and the older id is still refused.
    expect(await owner.expectRefusal('GET', `${ENABLE_PATH}?permissionId=${olderId}`)).toStrictEqual(WRONG_STATE);
  });

  it('restarts only the version that the session read last', async () => {
    await requester.propose('lunch');
    await owner.enable('lunch');
    await owner.disable('lunch');
    await owner.find('lunch');
    const otherSession = createDebitCalls(pda, await pda.signIn());
    await requester.update('lunch', WIDER_REQUEST);
    await otherSession.enable('lunch');
    await otherSession.disable('lunch');
    expect(await owner.expectRefusal('GET', `${ENABLE_PATH}?approve=false`)).toStrictEqual(WRONG_STATE);
    await owner.find('lunch');
    expect((await owner.call('GET', `${ENABLE_PATH}?approve=false`)).status).toBe(200);
  });

  it('needs no new review after changes that the session made itself', async () => {
    await owner.propose('lunch');
    await owner.find('lunch');
    await owner.update('lunch', WIDER_REQUEST);
    await owner.enable('lunch');
    for (let round = 0; round < 2; round += 1) {
      await owner.disable('lunch');
      expect((await owner.enable('lunch')).active).toBe(true);
    }
  });

  it('never approves a concurrent update, in either of two sessions', async () => {
    const otherSession = createDebitCalls(pda, await pda.signIn());
    for (let round = 0; round < 10; round += 1) {
      const key = `race-${round}`;
      const enablePath = `data-debit/${key}/enable`;
      await requester.propose(key);
      const reviewedId = (await owner.find(key)).permissionsLatest.permissionId;
      await otherSession.find(key);
      await Promise.all([
        owner.call('GET', enablePath),
        requester.update(key, { bundle: aBundle(`${key}-bundle`, 'calendar/events') }),
        otherSession.call('GET', enablePath),
      ]);
      const { permissions } = await requester.find(key);
      const acceptedPermissions = permissions.filter((permission) => permission.accepted);
      expect(
        acceptedPermissions.map(({ permissionId }) => permissionId).filter((id) => id !== reviewedId),
      ).toStrictEqual([]);
    }
  });
});

describe('setting up an application', () => {
  const notes = (version: string, data: string[]) => anApplication({ id: 'notes', version, data });
  let applicationTest: ApplicationTest;
  beforeEach(async () => {
    applicationTest = await startWithApplications(notes('1.0.0', ['notes/all']));
  });
  afterEach(() => applicationTest.pda.close());

  /** Publishes applications with a restart. Returns the owner's token from before the restart. */
  const publish = async (...applications: ApplicationInput[]): Promise<string> => {
    const { token } = applicationTest.pda;
    await applicationTest.publish(...applications);
    return token;
  };

  it.each([
    '/api/v2.6/applications',
    applicationUrl('notes'),
    '/api/v2.6/owner/applications',
    '/api/v2.6/owner/applications/notes',
  ])('approves only what GET %s showed to the session', async (path) => {
    await applicationTest.get(path);
    // The version number is unchanged, so the set-up must compare the content.
    const token = await publish(notes('1.0.0', ['notes/all', 'bank/accounts']));
    expect((await applicationTest.get(applicationUrl('notes', '/setup'), token)).status).toBe(409);
    expect((await applicationTest.get(applicationUrl('notes', '/setup?version=1.0.0'), token)).status).toBe(409);
    await applicationTest.get(path, token);
    expect((await applicationTest.get(applicationUrl('notes', '/setup'), token)).status).toBe(200);
  });

  it('approves only what the sign-in page showed to the session', async () => {
    const loginRequestPath = '/api/v2.6/owner/login-request?name=notes&redirect=https%3A%2F%2Fnotes.example.com%2F';
    expect((await applicationTest.get(loginRequestPath)).json).toMatchObject({
      application: { item: { application: { id: 'notes' } } },
    });
    const token = await publish(notes('1.0.0', ['notes/all', 'bank/accounts']));
    expect((await applicationTest.get(applicationUrl('notes', '/setup'), token)).status).toBe(409);
  });

  it('refuses a version or an edition that is not published', async () => {
    expect((await applicationTest.get(applicationUrl('notes', '/setup?version=0.9.0'))).status).toBe(409);
    expect((await applicationTest.get(applicationUrl('notes', '/setup?version=1.0.0&edition=other'))).status).toBe(409);
    expect((await applicationTest.get(applicationUrl('notes', '/setup?version=1.0.0'))).status).toBe(200);
  });

  it('accepts an application that the session never read', async () => {
    const token = await publish(notes('2.0.0', ['notes/all', 'bank/accounts']));
    expect((await applicationTest.get(applicationUrl('notes', '/setup'), token)).status).toBe(200);
  });
});
