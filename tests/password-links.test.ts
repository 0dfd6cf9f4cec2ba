import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issuedInvitationSchema, type Invitation, type IssuedInvitation } from '../server/wire/invitations.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { createInvitedGuest, createGuestBrowser, INVITATIONS, invitationsOf, titleOf } from './support/guests.ts';
import { storeFile } from './support/files.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { removeUsers, trySignIn, USER_PASSWORD } from './support/users.ts';

const DAY_MS = 86_400_000;
const NEW_PASSWORD = 'another meadow, further south';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());
beforeEach(async () => {
  await removeUsers(pda);
});

const createLink = async (userId: string, days = 7): Promise<IssuedInvitation> => {
  const reply = await pda.call('POST', `${INVITATIONS}/password`, { json: { userId, days } });
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`);
  return issuedInvitationSchema.parse(reply.json);
};
const revoke = ({ invitationId }: Invitation) => pda.call('DELETE', `${INVITATIONS}/${invitationId}`);
const setPassword = (path: string, password = NEW_PASSWORD, repeat = password, browser = createGuestBrowser(pda)) =>
  browser.post(path, { password, repeat });
const signInStatus = async (password: string): Promise<number> => {
  pda.clock.advance(2000);
  return (await trySignIn(pda, 'Grace', password)).status;
};

describe('password link', () => {
  it('names the guest, sets the password once, ends all sessions and signs the guest in', async () => {
    const { fileId } = await storeFile(pda, 'letter.txt', 'Dear Grace');
    const guest = await createInvitedGuest(pda, [fileId]);
    const { path, invitation } = await createLink(guest.userId);
    expect(invitation).toMatchObject({
      kind: 'password',
      name: 'Grace',
      state: 'open',
      user: { userId: guest.userId, name: 'Grace' },
    });
    const browser = createGuestBrowser(pda);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const page = await browser.get(path);
      expect([page.status, titleOf(page)]).toEqual([200, 'Choose a new password']);
      expect(page.text).toContain('your account Grace');
      expect(page.text).not.toContain('letter.txt');
    }
    // Until the link is used, the current password and its sessions work.
    expect(await signInStatus(USER_PASSWORD)).toBe(200);
    expect((await guest.browser.get('/guest')).status).toBe(200);

    expect((await setPassword(path, NEW_PASSWORD, NEW_PASSWORD, browser)).headers.location).toBe('/guest');
    expect((await browser.get('/guest')).text).toContain('letter.txt');
    expect((await guest.browser.get('/guest')).headers.location).toBe('/guest/sign-in?notice=ended');
    expect([await signInStatus(USER_PASSWORD), await signInStatus(NEW_PASSWORD)]).toEqual([401, 200]);
    expect((await invitationsOf(pda)).find(({ kind }) => kind === 'password')).toMatchObject({
      state: 'accepted',
      accepted: expect.any(Number) as number,
    });

    const usedReply = await createGuestBrowser(pda).get(path);
    expect([usedReply.status, titleOf(usedReply)]).toEqual([410, 'This link was already used']);
    const secondReply = await setPassword(path, 'a third password, much longer');
    expect([secondReply.status, titleOf(secondReply)]).toEqual([410, 'This link was already used']);
    expect(await signInStatus(NEW_PASSWORD)).toBe(200);
  });

  it('can be used by only one of two concurrent browsers', async () => {
    const { userId } = await createInvitedGuest(pda, []);
    const { path } = await createLink(userId);
    const replies = await Promise.all(
      [NEW_PASSWORD, 'a third password, much longer'].map((password) => setPassword(path, password)),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 410]);
  });

  it('expires, can be replaced and revoked, and its page states this', async () => {
    const { userId } = await createInvitedGuest(pda, []);
    const firstLink = await createLink(userId, 1);
    pda.clock.advance(DAY_MS);
    const expiredReply = await createGuestBrowser(pda).get(firstLink.path);
    expect([expiredReply.status, titleOf(expiredReply)]).toEqual([410, 'This link has expired']);
    expect((await setPassword(firstLink.path)).status).toBe(410);

    const secondLink = await createLink(userId);
    const thirdLink = await createLink(userId);
    // Only the newest link of a guest works.
    for (const { path } of [firstLink, secondLink])
      expect(titleOf(await createGuestBrowser(pda).get(path))).toBe('This link was withdrawn');
    const renewalReply = await pda.call('POST', `${INVITATIONS}/${thirdLink.invitation.invitationId}/renew`, {
      json: { days: 2 },
    });
    const { path } = issuedInvitationSchema.parse(renewalReply.json);
    expect(titleOf(await createGuestBrowser(pda).get(thirdLink.path))).toBe('This invitation does not work');
    expect(titleOf(await createGuestBrowser(pda).get(path))).toBe('Choose a new password');
    expect((await revoke(thirdLink.invitation)).status).toBe(200);
    expect([titleOf(await createGuestBrowser(pda).get(path)), (await setPassword(path)).status]).toEqual([
      'This link was withdrawn',
      410,
    ]);
    expect(await signInStatus(USER_PASSWORD)).toBe(200);
    expect((await createGuestBrowser(pda).get(path, { 'accept-language': 'de' })).text).toContain(
      'wurde zurückgezogen',
    );
  });

  it('does not sign in a disabled guest, and is unknown once the guest is removed', async () => {
    const { userId } = await createInvitedGuest(pda, []);
    const { path } = await createLink(userId);
    await pda.pda.users.disable(userId);
    const browser = createGuestBrowser(pda);
    expect((await setPassword(path, NEW_PASSWORD, NEW_PASSWORD, browser)).headers.location).toBe(
      '/guest/sign-in?notice=changed',
    );
    expect(browser.cookie).toBeUndefined();
    const nextLink = await createLink(userId);
    await pda.pda.users.remove(userId);
    expect(titleOf(await createGuestBrowser(pda).get(nextLink.path))).toBe('This invitation does not work');
    expect((await setPassword(nextLink.path)).status).toBe(404);
  });

  it('refuses unusable passwords and cross-site forms, stays open, and limits the number of attempts', async () => {
    const { userId } = await createInvitedGuest(pda, []);
    const { path } = await createLink(userId);
    for (const [password, repeat, text] of [
      ['', '', 'Enter a password of at most 1,000 characters.'],
      [NEW_PASSWORD, 'another one', 'The two passwords differ.'],
      ['password1', 'password1', 'This password is too easy to guess.'],
    ] as const) {
      const reply = await setPassword(path, password, repeat);
      expect([reply.status, reply.text.includes(text)]).toEqual([400, true]);
    }
    const crossSiteReply = await createGuestBrowser(pda).post(
      path,
      { password: NEW_PASSWORD, repeat: NEW_PASSWORD },
      { 'sec-fetch-site': 'cross-site' },
    );
    expect(crossSiteReply.status).toBe(403);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) statuses.push((await setPassword(path, 'password1')).status);
    expect(statuses.at(-1)).toBe(429);
    expect(await signInStatus(USER_PASSWORD)).toBe(200);
    pda.clock.advance(60_000);
    expect((await setPassword(path)).status).toBe(303);
  });

  it('can be created only for existing guests, and the access history names the guest', async () => {
    const { userId } = await createInvitedGuest(pda, []);
    const ownerId = pda.pda.owner.profile()?.id ?? '';
    const statusOf = async (json: unknown) => (await pda.call('POST', `${INVITATIONS}/password`, { json })).status;
    for (const id of [UNKNOWN_ID, ownerId]) expect(await statusOf({ userId: id, days: 1 })).toBe(404);
    for (const days of [0, 91]) expect(await statusOf({ userId, days })).toBe(400);
    await setPassword((await createLink(userId)).path);
    const readRows = async (query: string) =>
      ledgerPageSchema.parse((await pda.call('GET', `/api/v2.6/owner/ledger?${query}`)).json).rows;
    expect((await readRows('act=decision&take=1'))[0]).toMatchObject({
      action: 'POST /api/v2.6/owner/invitations/password',
      consent: { kind: 'user', name: userId, detail: 'Grace' },
    });
    expect((await readRows(`user=${userId}`)).map(({ action }) => action)).toContain('password-change');
  });
});
