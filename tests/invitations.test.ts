import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acceptInvitation, createGuestBrowser, INVITATIONS, invitationsOf, invite, titleOf } from './support/guests.ts';
import { storeFile } from './support/files.ts';
import { Failure } from '../server/platform/failure.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { MAX_INVITATION_FILES } from '../server/wire/limits.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser, removeUsers, trySignIn } from './support/users.ts';

const DAY_MS = 86_400_000;

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());
beforeEach(async () => {
  await removeUsers(pda);
});

const listUserNames = (): string[] => pda.pda.users.list().map(({ name }) => name);
const openContent = async (browser: ReturnType<typeof createGuestBrowser>, fileId: string): Promise<string> => {
  const { headers } = await browser.get(`/guest/files/${fileId}/content`);
  const target = new URL(headers.location ?? '/', `http://${pda.host}`);
  return (await pda.call('GET', target.pathname + target.search, { token: null })).text;
};

describe('invitation', () => {
  it('names the inviter and the shared files, and creates a guest with a new password once', async () => {
    const { fileId } = await storeFile(pda, 'letter.txt', 'Dear Grace');
    const { path, invitation } = await invite(pda, [fileId]);
    expect(invitation).toMatchObject({ name: 'Grace', state: 'open', files: [{ fileId, name: 'letter.txt' }] });
    const browser = createGuestBrowser(pda);
    for (let count = 0; count < 2; count += 1) {
      const page = await browser.get(path);
      expect([page.status, titleOf(page)]).toEqual([200, 'ada invites you']);
      expect(page.text).toContain('letter.txt');
      expect(page.text).toContain('value="Grace"');
    }
    expect(listUserNames()).toEqual([]);
    expect((await acceptInvitation(browser, path, { name: 'Grace Hopper' })).headers.location).toBe('/guest');
    expect(listUserNames()).toEqual(['Grace Hopper']);
    expect((await browser.get('/guest')).text).toContain('letter.txt');
    expect(await openContent(browser, fileId)).toBe('Dear Grace');
    expect((await trySignIn(pda, 'Grace Hopper')).status).toBe(200);
    const [storedInvitation] = await invitationsOf(pda);
    expect(storedInvitation).toMatchObject({
      state: 'accepted',
      accepted: pda.clock.now(),
      user: { name: 'Grace Hopper' },
    });
    // Another browser tries to use the invitation again.
    const secondBrowser = createGuestBrowser(pda);
    const usedReply = await secondBrowser.get(path);
    expect([usedReply.status, titleOf(usedReply)]).toEqual([410, 'This invitation was already used']);
    expect((await acceptInvitation(secondBrowser, path, { name: 'Mallory' })).status).toBe(410);
    expect(listUserNames()).toEqual(['Grace Hopper']);
    expect(secondBrowser.cookie).toBeUndefined();
  });

  it('is recorded in the access history when created, renewed or revoked, with the name of the guest', async () => {
    const { invitation } = await invite(pda, [], { name: 'Alan' });
    const path = `${INVITATIONS}/${invitation.invitationId}`;
    expect((await pda.call('POST', `${path}/renew`, { json: { days: 3 } })).status).toBe(200);
    expect((await pda.call('DELETE', path)).status).toBe(200);
    // Removing a revoked invitation changes no access, so it is not recorded.
    expect((await pda.call('DELETE', path)).status).toBe(200);
    const { rows } = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?take=3')).json);
    const consent = { kind: 'user', name: '', detail: 'Alan' };
    expect(rows.map((row) => [row.action, row.consent])).toEqual([
      [`DELETE ${INVITATIONS}/:invitationId`, consent],
      [`POST ${INVITATIONS}/:invitationId/renew`, consent],
      [`POST ${INVITATIONS}`, consent],
    ]);
  });

  it('has a token of 256 bits that the list of invitations does not contain, and its page runs no scripts', async () => {
    const { path } = await invite(pda, [], { name: '"><img src=x>' });
    const token = path.split('/').at(-1) ?? '';
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect((await pda.call('GET', INVITATIONS)).text).not.toContain(token);
    const page = await createGuestBrowser(pda).get(path);
    expect(page.text).not.toMatch(/<script|<img/u);
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex',
    });
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['content-security-policy']).not.toContain('script-src');
  });

  it('can be accepted by only one of two concurrent browsers', async () => {
    const { path } = await invite(pda);
    const browsers = [createGuestBrowser(pda), createGuestBrowser(pda)] as const;
    for (const names of [
      ['Ada L', 'Grace H'],
      ['Same', 'Same'],
    ] as const) {
      const { path: nextPath } = await invite(pda);
      const replies = await Promise.all(
        browsers.map((browser, index) => acceptInvitation(browser, nextPath, { name: names[index] ?? '' })),
      );
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 410]);
    }
    expect(listUserNames()).toHaveLength(2);
    expect((await browsers[0].get(path)).status).toBe(200);
  });

  it('states that it has expired, and can be renewed with a new address', async () => {
    const { path, invitation } = await invite(pda, [], { days: 1 });
    pda.clock.advance(DAY_MS - 1);
    const browser = createGuestBrowser(pda);
    expect((await browser.get(path)).status).toBe(200);
    pda.clock.advance(1);
    pda.token = await pda.signIn();
    const expiredReply = await browser.get(path);
    expect([expiredReply.status, titleOf(expiredReply)]).toEqual([410, 'This invitation has expired']);
    expect((await acceptInvitation(browser, path)).status).toBe(410);
    expect((await invitationsOf(pda))[0]?.state).toBe('expired');
    const renewalReply = await pda.call('POST', `${INVITATIONS}/${invitation.invitationId}/renew`, {
      json: { days: 2 },
    });
    expect(renewalReply.json).toMatchObject({ invitation: { state: 'open', expires: pda.clock.now() + 2 * DAY_MS } });
    expect(titleOf(await browser.get(path))).toBe('This invitation does not work');
    expect((await acceptInvitation(browser, (renewalReply.json as { path: string }).path)).status).toBe(303);
  });

  it('can expire at a time of the owner’s choice, within 90 days', async () => {
    const create = (validity: object) => pda.call('POST', INVITATIONS, { json: { name: 'Grace', ...validity } });
    const now = pda.clock.now();
    expect((await create({ expires: now + DAY_MS + 1 })).json).toMatchObject({
      invitation: { state: 'open', expires: now + DAY_MS + 1 },
    });
    for (const validity of [{}, { days: 1, expires: now + DAY_MS }, { expires: now }, { expires: now + 91 * DAY_MS }])
      expect((await create(validity)).status).toBe(400);
  });

  it('states that it was revoked, and is unknown once it is removed', async () => {
    const { path, invitation } = await invite(pda);
    const revoke = () => pda.call('DELETE', `${INVITATIONS}/${invitation.invitationId}`);
    expect((await revoke()).json).toMatchObject({ state: 'open' });
    const browser = createGuestBrowser(pda);
    const revokedReply = await browser.get(path);
    expect([revokedReply.status, titleOf(revokedReply)]).toEqual([410, 'This invitation was withdrawn']);
    expect((await acceptInvitation(browser, path)).status).toBe(410);
    const renewal = await pda.call('POST', `${INVITATIONS}/${invitation.invitationId}/renew`, { json: { days: 2 } });
    expect(errorOf(renewal).error).toBe('wrong_state');
    expect((await revoke()).json).toMatchObject({ state: 'revoked' });
    expect(titleOf(await browser.get(path))).toBe('This invitation does not work');
    expect((await revoke()).status).toBe(404);
    expect(listUserNames()).toEqual([]);
  });

  it('with an unknown or changed token is not found and reveals nothing', async () => {
    const { path } = await invite(pda);
    const browser = createGuestBrowser(pda);
    const [firstReply, ...otherReplies] = await Promise.all(
      [`${path}A`, path.slice(0, -1), `/invitation/${'A'.repeat(43)}`, '/invitation/x'].map((wrongPath) =>
        browser.get(wrongPath),
      ),
    );
    expect([firstReply?.status, firstReply && titleOf(firstReply)]).toEqual([404, 'This invitation does not work']);
    for (const { text } of otherReplies) expect(text).toBe(firstReply?.text);
    expect((await acceptInvitation(browser, `/invitation/${'A'.repeat(43)}`)).status).toBe(404);
    const germanReply = await browser.get('/invitation/x', { 'accept-language': 'de' });
    expect(titleOf(germanReply)).toBe('Diese Einladung funktioniert nicht');
    const json = await browser.get('/invitation/x', { accept: 'application/json' });
    expect(errorOf(json).error).toBe('not_found');
  });

  it('refuses unusable names and passwords, stays open, and limits the number of attempts', async () => {
    await addUser(pda, 'Alan');
    const { path } = await invite(pda);
    const browser = createGuestBrowser(pda);
    const refusals = [
      [{ name: '' }, 'Enter a name'],
      [{ name: 'a\u202eb' }, 'Enter a name'],
      [{ name: 'x'.repeat(101) }, 'Enter a name'],
      [{ password: '', repeat: '' }, 'Enter a password of at most 1,000 characters.'],
      [{ password: 'long '.repeat(201) }, 'Enter a password of at most 1,000 characters.'],
      [{ repeat: 'another one' }, 'The two passwords differ.'],
      [{ password: 'password1' }, 'This password is too easy to guess.'],
      [{ name: 'Bartholomew', password: 'bartholomew' }, 'This password is too easy to guess.'],
      [{ name: 'ALAN' }, 'This name is taken.'],
      [{ name: OWNER.name }, 'This name is taken.'],
    ] as const;
    for (const [fields, text] of refusals) {
      const reply = await acceptInvitation(browser, path, fields);
      expect([fields, reply.status]).toEqual([fields, 400]);
      expect(reply.text).toContain(text);
    }
    expect(listUserNames()).toEqual(['Alan']);
    let lastReply = await acceptInvitation(browser, path, { name: 'ALAN' });
    for (let attempt = 1; attempt < 12; attempt += 1)
      lastReply = await acceptInvitation(browser, path, { name: 'ALAN' });
    expect([lastReply.status, lastReply.headers['retry-after']]).toEqual([429, '2']);
    pda.clock.advance(60_000);
    expect((await acceptInvitation(browser, path)).status).toBe(303);
  });

  it('accepts no password at an address where others could read it', async () => {
    let isReadable = true;
    pda.pda.owner.addSignInGuard(() => {
      if (isReadable) throw new Failure('forbidden', 'Others can read passwords at this address.');
    });
    const { path } = await invite(pda);
    const browser = createGuestBrowser(pda);
    const refusedReply = await acceptInvitation(browser, path);
    expect(refusedReply.status).toBe(403);
    expect(refusedReply.text).toContain('The owner does not allow signing in at this address');
    expect(listUserNames()).toEqual([]);
    const signIn = () => browser.post('/guest/sign-in', { name: 'Grace', password: 'x' });
    expect((await signIn()).status).toBe(403);
    isReadable = false;
    expect((await acceptInvitation(browser, path)).status).toBe(303);
    isReadable = true;
    const change = {
      password: 'x',
      newPassword: 'another meadow, further south',
      repeat: 'another meadow, further south',
    };
    expect((await browser.submit('/guest/account', '/guest/password', change)).status).toBe(403);
    isReadable = false;
  });

  it('cannot be created for unknown files or with an invalid name or lifetime, nor listed by anonymous callers', async () => {
    const create = async (json: unknown) => (await pda.call('POST', INVITATIONS, { json })).status;
    const originalInvitations = await invitationsOf(pda);
    expect(await create({ name: 'x', days: 1, fileIds: ['unknown'] })).toBe(404);
    const longIds = Array.from({ length: MAX_INVITATION_FILES }, (_, number) => `${number}`.padStart(200, 'x'));
    expect(await create({ name: 'x', days: 1, fileIds: longIds })).toBe(404);
    expect(await create({ name: 'x', days: 1, fileIds: [...longIds, 'y'] })).toBe(400);
    expect(await create({ name: '', days: 1 })).toBe(400);
    expect(await create({ name: 'x', days: 0 })).toBe(400);
    expect(await create({ name: 'x', days: 91 })).toBe(400);
    expect(await create({ name: 'x', days: 1, userId: 'y' })).toBe(400);
    expect(await invitationsOf(pda)).toEqual(originalInvitations);
    expect((await pda.call('GET', INVITATIONS, { token: null })).status).toBe(401);
  });

  it('survives a restart, and loses files that were deleted', async () => {
    const keptFile = await storeFile(pda, 'kept.txt', 'x');
    const deletedFile = await storeFile(pda, 'gone.txt', 'x');
    const { path } = await invite(pda, [keptFile.fileId, deletedFile.fileId]);
    await pda.call('DELETE', `/api/v2.6/files/file/${deletedFile.fileId}`);
    await pda.restart();
    const browser = createGuestBrowser(pda);
    const page = await browser.get(path);
    expect(page.text).toContain('kept.txt');
    expect(page.text).not.toContain('gone.txt');
    await acceptInvitation(browser, path);
    expect((await browser.get('/guest')).text.match(/<li>/gu)).toHaveLength(1);
  });
});
