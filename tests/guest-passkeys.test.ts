import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ledgerPageSchema, type LedgerRow } from '../server/wire/ledger.ts';
import { issuedInvitationSchema } from '../server/wire/invitations.ts';
import { storeFile } from './support/files.ts';
import {
  acceptInvitation,
  challengeIn,
  createGuestBrowser,
  formTokenIn,
  INVITATIONS,
  invite,
  titleOf,
  type GuestBrowser,
} from './support/guests.ts';
import type { Reply } from './support/http.ts';
import { recordPasswordChecks } from './support/quick-hashes.ts';
import {
  addPasskey,
  challengeOf,
  createPasskey,
  passkeyHeader,
  PUBLIC_HOST,
  signInFrom,
  USER_PRESENT,
  type Passkey,
} from './support/second-factor.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { removeUsers, trySignIn, USER_PASSWORD } from './support/users.ts';

const NEW_PASSWORD = 'another meadow, further south';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({ publicUrl: `https://${PUBLIC_HOST}` });
});
afterAll(() => pda.close());
beforeEach(async () => {
  await pda.pda.secondFactor.reset();
  await removeUsers(pda);
});

const newBrowser = (): GuestBrowser => createGuestBrowser(pda, PUBLIC_HOST);
const passkeyField = (response: object): { passkey: string } => ({ passkey: JSON.stringify(response) });
/** Returns the form field with the registration of a new passkey. The passkey's name is a separate field. */
const registrationOf = (passkey: Passkey, ceremony: Parameters<Passkey['create']>[1]): { passkey: string } => {
  const { name: _, ...registration } = passkey.create('', ceremony);
  return passkeyField(registration);
};

const acceptWithPasskey = async (
  passkey: Passkey,
  { name = 'Grace', fileIds = [] as string[], browser = newBrowser() } = {},
): Promise<{ browser: GuestBrowser; path: string; userId: string; reply: Reply }> => {
  const { path } = await invite(pda, fileIds, { name });
  const challenge = challengeIn(await browser.get(path));
  const reply = await browser.post(path, { name, ...registrationOf(passkey, { challenge }) });
  return { browser, path, reply, userId: pda.pda.users.list().find((user) => user.name === name)?.userId ?? '' };
};

const signIn = async (
  passkey: Passkey,
  ceremony: Partial<Parameters<Passkey['get']>[0]> = {},
  browser = newBrowser(),
): Promise<Reply> => {
  pda.clock.advance(2000);
  const challenge = challengeIn(await browser.get('/guest/sign-in'));
  return browser.post('/guest/sign-in/passkey', passkeyField(passkey.get({ challenge, ...ceremony })));
};

/** Sends a form of a page, confirmed with a passkey. */
const submitWithPasskey = async (
  browser: GuestBrowser,
  passkey: Passkey,
  { page = '/guest/account', action, fields = {} }: { page?: string; action: string; fields?: Record<string, string> },
): Promise<Reply> => {
  pda.clock.advance(2000);
  const reply = await browser.get(page);
  const challenge = challengeIn(reply, action);
  return browser.post(action, { form: formTokenIn(reply), ...fields, ...passkeyField(passkey.get({ challenge })) });
};

/** Adds a passkey to the account of a guest, who confirms this with a password or another passkey. */
const addGuestPasskey = async (
  browser: GuestBrowser,
  passkey: Passkey,
  confirmation: { password: string } | { passkey: Passkey },
): Promise<Reply> => {
  const page = '/guest/passkeys/new';
  const confirmationReply =
    'password' in confirmation
      ? await browser.submit(page, page, confirmation)
      : await submitWithPasskey(browser, confirmation.passkey, { page, action: page });
  const fields = { form: formTokenIn(confirmationReply), passkeyName: ' My phone ' };
  return browser.post('/guest/passkeys', {
    ...fields,
    ...registrationOf(passkey, { challenge: challengeIn(confirmationReply) }),
  });
};
const removalPathsIn = ({ text }: Reply): string[] =>
  [...text.matchAll(/href="(?<path>\/guest\/passkeys\/[0-9a-f-]{36}\/remove)"/gu)].map(
    ({ groups }) => groups?.['path'] ?? '',
  );
const rowsOf = async (userId: string): Promise<LedgerRow[]> =>
  ledgerPageSchema.parse((await pda.call('GET', `/api/v2.6/owner/ledger?user=${userId}`)).json).rows;

describe('a guest with a passkey', () => {
  it('accepts the invitation without a password, and signs in without a name', async () => {
    const { fileId } = await storeFile(pda, 'letter.txt', 'Dear Grace');
    const passkey = createPasskey();
    const { browser, reply, path } = await acceptWithPasskey(passkey, { fileIds: [fileId] });
    expect([reply.status, reply.headers.location]).toEqual([303, '/guest']);
    expect((await browser.get('/guest')).text).toContain('letter.txt');
    expect(titleOf(await newBrowser().get(path))).toBe('This invitation was already used');
    const phone = newBrowser();
    expect((await signIn(passkey, {}, phone)).headers.location).toBe('/guest');
    expect((await phone.get('/guest')).text).toContain('letter.txt');
    expect((await phone.get('/guest/account')).text).toContain('Last used');
    expect((await browser.submit('/guest/account', '/guest/sessions/end')).status).toBe(303);
    expect((await phone.get('/guest')).headers.location).toBe('/guest/sign-in?notice=ended');
  });

  it('cannot sign in with any password, and an attempt costs the same password check as an unknown name', async () => {
    const { userId } = await acceptWithPasskey(createPasskey());
    const checksOf = (name: string, password: string) =>
      recordPasswordChecks(async () => expect((await trySignIn(pda, name, password)).status).toBe(401));
    const checksOfUnknown = await checksOf('Unknown', USER_PASSWORD);
    expect(checksOfUnknown).toHaveLength(1);
    expect(await checksOf('Grace', USER_PASSWORD)).toEqual(checksOfUnknown);
    expect(await checksOf('Grace', '')).toEqual(await checksOf('Unknown', ''));
    expect((await newBrowser().post('/guest/sign-in', { name: 'Grace', password: 'null' })).status).toBe(401);
    pda.clock.advance(60_000);
    expect(
      await pda.pda.users.verifyPassword(userId, '', { address: '', host: pda.host, local: true }),
    ).toBeUndefined();
  });

  it('confirms the deletion of the account with the passkey', async () => {
    const passkey = createPasskey();
    const { browser } = await acceptWithPasskey(passkey);
    const page = await browser.get('/guest/account');
    expect(page.text).not.toContain('Current password');
    for (const fields of [{}, { leavePassword: USER_PASSWORD }, { passkey: 'x' }])
      expect((await browser.submit('/guest/account', '/guest/leave', fields)).status).toBe(403);
    const leaveReply = await submitWithPasskey(browser, passkey, { action: '/guest/leave' });
    expect(leaveReply.headers.location).toBe('/guest/sign-in?notice=left');
    expect(pda.pda.users.list()).toEqual([]);
    const refusedReply = await signIn(passkey);
    expect([refusedReply.status, refusedReply.headers['set-cookie']]).toEqual([401, undefined]);
    expect(refusedReply.text).toContain('This passkey was not accepted.');
  });

  it('can set a password, and then signs in with either', async () => {
    const passkey = createPasskey();
    const { browser } = await acceptWithPasskey(passkey);
    const fields = { newPassword: NEW_PASSWORD, repeat: NEW_PASSWORD };
    expect((await browser.submit('/guest/account', '/guest/password', fields)).status).toBe(403);
    const passwordReply = await submitWithPasskey(browser, passkey, { action: '/guest/password', fields });
    expect(passwordReply.headers.location).toBe('/guest/account?saved=password');
    expect((await browser.get('/guest/account')).text).toContain('Current password');
    pda.clock.advance(60_000);
    expect((await trySignIn(pda, 'Grace', NEW_PASSWORD)).status).toBe(200);
    expect((await signIn(passkey)).status).toBe(303);
    // A guest who has a password confirms with it.
    expect((await browser.submit('/guest/account', '/guest/leave', { leavePassword: 'wrong' })).status).toBe(403);
    const leaveReply = await browser.submit('/guest/account', '/guest/leave', { leavePassword: NEW_PASSWORD });
    expect(leaveReply.status).toBe(303);
  });

  it('can set a password with a link from the owner', async () => {
    const { userId } = await acceptWithPasskey(createPasskey());
    const link = await pda.call('POST', `${INVITATIONS}/password`, { json: { userId, days: 1 } });
    const { path } = issuedInvitationSchema.parse(link.json);
    const reply = await newBrowser().post(path, { password: NEW_PASSWORD, repeat: NEW_PASSWORD });
    expect(reply.headers.location).toBe('/guest');
    pda.clock.advance(60_000);
    expect((await trySignIn(pda, 'Grace', NEW_PASSWORD)).status).toBe(200);
  });

  it('cannot remove the last way to sign in', async () => {
    const firstPasskey = createPasskey();
    const secondPasskey = createPasskey();
    const { browser, userId } = await acceptWithPasskey(firstPasskey);
    const [onlyPath = ''] = removalPathsIn(await browser.get('/guest/account'));
    const form = formTokenIn(await browser.get('/guest/account'));
    for (const reply of [await browser.get(onlyPath), await browser.post(onlyPath, { form })])
      expect([reply.status, titleOf(reply)]).toEqual([409, 'This passkey cannot be removed']);
    expect((await addGuestPasskey(browser, secondPasskey, { passkey: firstPasskey })).headers.location).toBe(
      '/guest/account?saved=passkeySaved',
    );
    expect((await browser.get('/guest/account')).text).toContain('My phone');
    expect(
      (await submitWithPasskey(browser, firstPasskey, { page: onlyPath, action: onlyPath })).headers.location,
    ).toBe('/guest/account?saved=passkeyRemoved');
    expect((await signIn(firstPasskey)).status).toBe(401);
    expect((await signIn(secondPasskey)).status).toBe(303);
    const [lastPath = ''] = removalPathsIn(await browser.get('/guest/account'));
    expect((await browser.get(lastPath)).status).toBe(409);
    expect((await rowsOf(userId)).map(({ action }) => action).toReversed()).toEqual([
      'invitation-accepted',
      'sign-in',
      'passkey-added',
      'passkey-removed',
      'sign-in',
    ]);
  });

  it('can have a password from the start, and adds a passkey with it', async () => {
    const browser = newBrowser();
    const { path } = await invite(pda);
    await acceptInvitation(browser, path);
    const passkey = createPasskey();
    const refusedReply = await browser.submit('/guest/passkeys/new', '/guest/passkeys/new', { password: 'wrong' });
    expect([refusedReply.status, challengeIn(refusedReply)]).toEqual([403, '']);
    expect(refusedReply.text).toContain('The password is wrong.');
    expect((await addGuestPasskey(browser, passkey, { password: USER_PASSWORD })).status).toBe(303);
    expect((await signIn(passkey)).status).toBe(303);
    const [removalPath = ''] = removalPathsIn(await browser.get('/guest/account'));
    expect((await browser.submit(removalPath, removalPath, { password: 'wrong' })).status).toBe(403);
    pda.clock.advance(2000);
    const fields = { form: formTokenIn(await browser.get(removalPath)), password: USER_PASSWORD };
    const doubleClickReplies = await Promise.all([1, 2].map(() => browser.post(removalPath, fields)));
    expect(new Set(doubleClickReplies.map(titleOf))).toEqual(new Set(['', 'This passkey does not exist']));
    expect((await signIn(passkey)).status).toBe(401);
    expect((await browser.submit(removalPath, removalPath, { password: USER_PASSWORD })).status).toBe(404);
  });
});

describe('a guest passkey', () => {
  it('signs in once per challenge, from this address, with a verified user and an increasing counter', async () => {
    const passkey = createPasskey();
    await acceptWithPasskey(passkey);
    for (const ceremony of [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { flags: USER_PRESENT },
      { type: 'webauthn.create' },
      { client: { crossOrigin: true } },
    ])
      expect([ceremony, (await signIn(passkey, ceremony)).status]).toEqual([ceremony, 401]);
    const challenge = challengeIn(await newBrowser().get('/guest/sign-in'));
    const assertion = passkeyField(passkey.get({ challenge }));
    const send = (fields: Record<string, string>) => newBrowser().post('/guest/sign-in/passkey', fields);
    const replies = await Promise.all([send(assertion), send(assertion)]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 401]);
    expect((await send(passkeyField(passkey.get({ challenge })))).status).toBe(401);
    passkey.setCounter(1);
    expect((await signIn(passkey)).status).toBe(401);
    passkey.setCounter(20);
    const oldChallenge = challengeIn(await newBrowser().get('/guest/sign-in'));
    pda.clock.advance(31 * 60_000);
    expect((await send(passkeyField(passkey.get({ challenge: oldChallenge })))).status).toBe(401);
    expect((await signIn(passkey)).status).toBe(303);
  });

  it('cannot belong to two guests', async () => {
    const passkey = createPasskey();
    await acceptWithPasskey(passkey);
    const { reply } = await acceptWithPasskey(passkey, { name: 'Alan' });
    expect([reply.status, pda.pda.users.list().length]).toEqual([400, 1]);
    expect(reply.text).toContain('This passkey already belongs to an account.');
  });

  it('is refused with challenges of other purposes and of another guest', async () => {
    const [gracePasskey, alanPasskey] = [createPasskey(), createPasskey()];
    const grace = await acceptWithPasskey(gracePasskey);
    const alan = await acceptWithPasskey(alanPasskey, { name: 'Alan' });
    const page = await grace.browser.get('/guest/account');
    const form = formTokenIn(page);
    const leaveWith = async (passkey: Passkey, challenge: string) => {
      pda.clock.advance(2000);
      return grace.browser.post('/guest/leave', { form, ...passkeyField(passkey.get({ challenge })) });
    };
    const alanChallenge = challengeIn(await alan.browser.get('/guest/account'), '/guest/leave');
    const signInChallenge = challengeIn(await newBrowser().get('/guest/sign-in'));
    const passwordChallenge = challengeIn(page, '/guest/password');
    for (const challenge of [alanChallenge, signInChallenge, passwordChallenge, '', 'AAAA'])
      expect((await leaveWith(gracePasskey, challenge)).status).toBe(403);
    // Alan's passkey cannot confirm Grace's request.
    expect((await leaveWith(alanPasskey, challengeIn(page, '/guest/leave'))).status).toBe(403);
    expect(pda.pda.users.list()).toHaveLength(2);
    expect((await leaveWith(gracePasskey, challengeIn(page, '/guest/leave'))).status).toBe(303);
    const signInReply = await newBrowser().post(
      '/guest/sign-in/passkey',
      passkeyField(alanPasskey.get({ challenge: passwordChallenge })),
    );
    expect(signInReply.status).toBe(401);
  });

  it('is added only with a challenge for this invitation or this confirmed session', async () => {
    const firstInvitation = await invite(pda);
    const secondInvitation = await invite(pda, [], { name: 'Alan' });
    const browser = newBrowser();
    const secondChallenge = challengeIn(await browser.get(secondInvitation.path));
    const signInChallenge = challengeIn(await browser.get('/guest/sign-in'));
    for (const ceremony of [
      { challenge: secondChallenge },
      { challenge: signInChallenge },
      { challenge: challengeIn(await browser.get(firstInvitation.path)), origin: 'https://evil.example' },
    ]) {
      const reply = await browser.post(firstInvitation.path, {
        name: 'Grace',
        ...registrationOf(createPasskey(), ceremony),
      });
      expect([reply.status, reply.text.includes('The passkey was not accepted')]).toEqual([400, true]);
    }
    expect(pda.pda.users.list()).toEqual([]);
    const passkey = createPasskey();
    const grace = await acceptWithPasskey(passkey);
    const form = formTokenIn(await grace.browser.get('/guest/account'));
    const confirmationChallenge = challengeIn(await grace.browser.get('/guest/passkeys/new'));
    for (const challenge of [confirmationChallenge, secondChallenge, signInChallenge]) {
      const fields = { form, passkeyName: 'x', ...registrationOf(createPasskey(), { challenge }) };
      const reply = await grace.browser.post('/guest/passkeys', fields);
      expect([reply.status, titleOf(reply)]).toEqual([400, 'Add a passkey']);
      // The page asks for the confirmation again; it has no challenge for a new passkey.
      expect(reply.text).not.toContain('data-passkey="create"');
    }
    expect((await signIn(passkey)).status).toBe(303);
  });

  it('does not sign in the owner, and a passkey of the owner does not sign in a guest', async () => {
    const [guestPasskey, ownerPasskey] = [createPasskey(), createPasskey()];
    await acceptWithPasskey(guestPasskey);
    await addPasskey(pda, ownerPasskey);
    const ownerChallenge = await challengeOf(pda);
    expect((await signIn(ownerPasskey)).status).toBe(401);
    expect((await signIn(guestPasskey, { challenge: ownerChallenge })).status).toBe(401);
    pda.clock.advance(60_000);
    const guestChallenge = challengeIn(await newBrowser().get('/guest/sign-in'));
    for (const assertion of [
      guestPasskey.get({ challenge: ownerChallenge }),
      guestPasskey.get({ challenge: guestChallenge }),
      ownerPasskey.get({ challenge: guestChallenge }),
    ])
      expect((await signInFrom(pda, passkeyHeader(assertion))).status).toBe(401);
    expect((await signInFrom(pda, passkeyHeader(ownerPasskey.get({ challenge: ownerChallenge })))).status).toBe(200);
  });

  it('does not work while the guest is blocked or after the guest is removed', async () => {
    const passkey = createPasskey();
    const { userId } = await acceptWithPasskey(passkey);
    await pda.pda.users.disable(userId);
    expect((await signIn(passkey)).status).toBe(401);
    await pda.pda.users.enable(userId);
    expect((await signIn(passkey)).status).toBe(303);
    await pda.pda.users.remove(userId);
    expect((await signIn(passkey)).status).toBe(401);
  });

  it('counts against the login throttle, and is refused from pages of other origins', async () => {
    const passkey = createPasskey();
    await acceptWithPasskey(passkey);
    pda.clock.advance(60_000);
    const challenge = challengeIn(await newBrowser().get('/guest/sign-in'));
    const attempt = (response: object, headers = {}) =>
      newBrowser().post('/guest/sign-in/passkey', passkeyField(response), headers);
    const crossSiteReply = await attempt(passkey.get({ challenge }), { 'sec-fetch-site': 'cross-site' });
    expect([crossSiteReply.status, crossSiteReply.headers['set-cookie']]).toEqual([403, undefined]);
    const unknownPasskey = createPasskey();
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1)
      statuses.push((await attempt(unknownPasskey.get({ challenge }))).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    pda.clock.advance(60_000);
    expect((await signIn(passkey)).status).toBe(303);
  });
});

describe('guest pages', () => {
  it('load a script only where they offer passkeys', async () => {
    const { browser } = await acceptWithPasskey(createPasskey());
    const { path } = await invite(pda, [], { name: 'Alan' });
    const policyOf = (reply: Reply): string => String(reply.headers['content-security-policy']);
    for (const page of [path, '/guest/sign-in', '/guest/account', '/guest/passkeys/new']) {
      const reply = await browser.get(page);
      expect(policyOf(reply)).toContain("default-src 'none'; style-src 'sha256-");
      expect(policyOf(reply)).toContain("script-src 'self';");
      expect(policyOf(reply)).not.toContain('unsafe');
      expect(reply.text.match(/<script[^>]*>/gu)).toEqual(['<script type="module" src="/guest-passkeys.js">']);
    }
    const files = await browser.get('/guest');
    expect([policyOf(files).includes('script-src'), files.text.includes('<script')]).toEqual([false, false]);
  });

  it('offer only the password at an IP address, and say why', async () => {
    const browser = createGuestBrowser(pda);
    const { path } = await invite(pda);
    for (const page of [path, '/guest/sign-in']) {
      const reply = await browser.get(page);
      expect([reply.text.includes('data-passkey="'), reply.text.includes('<script')]).toEqual([false, false]);
    }
    expect((await browser.get(path)).text).toContain('Passkeys do not work at this address.');
    const passkey = createPasskey();
    const refusedReply = await browser.post(path, { name: 'Grace', ...registrationOf(passkey, { challenge: 'AAAA' }) });
    expect(refusedReply.status).toBe(400);
    await acceptInvitation(browser, path);
    expect((await browser.get('/guest/account')).text).toContain('Passkeys do not work at this address.');
    expect((await browser.get('/guest/passkeys/new')).status).toBe(409);
  });
});
