import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ledgerPageSchema, type LedgerRow } from '../server/wire/ledger.ts';
import {
  acceptInvitation,
  createInvitedGuest,
  createGuestBrowser,
  formTokenIn,
  INVITATIONS,
  invitationsOf,
  invite,
  titleOf,
} from './support/guests.ts';
import { storeFile } from './support/files.ts';
import type { Reply } from './support/http.ts';
import { OWNER, startTestPda, type TestPda } from './support/test-pda.ts';
import { removeUsers, trySignIn, USER_PASSWORD } from './support/users.ts';

// Tests the pages, sign-in, forms and accounts of guests.

const NEW_PASSWORD = 'another meadow, further south';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());
beforeEach(async () => {
  await removeUsers(pda);
});

const userNames = (): string[] => pda.pda.users.list().map(({ name }) => name);
const rowsOf = async (userId: string): Promise<LedgerRow[]> =>
  ledgerPageSchema.parse((await pda.call('GET', `/api/v2.6/owner/ledger?user=${userId}`)).json).rows;

const createGuest = (fileIds: readonly string[] = [], name = 'Grace') => createInvitedGuest(pda, fileIds, name);
const openContent = async (browser: ReturnType<typeof createGuestBrowser>, fileId: string): Promise<Reply> => {
  const { headers } = await browser.get(`/guest/files/${fileId}/content`);
  const target = new URL(headers.location ?? '/', `http://${pda.host}`);
  return pda.call('GET', target.pathname + target.search, { token: null });
};

describe('guest pages', () => {
  it('show and open exactly the shared files', async () => {
    const sharedFile = await storeFile(pda, '<b>shared</b>.txt', 'mine');
    const nameOnlyFile = await storeFile(pda, 'named.txt', 'hidden');
    const otherFile = await storeFile(pda, 'other.txt', 'secret');
    const { browser, userId } = await createGuest([sharedFile.fileId]);
    await pda.call('GET', `/api/v2.6/files/allowAccess/${nameOnlyFile.fileId}/${userId}?content=false`);
    const list = await browser.get('/guest');
    expect(list.text).toContain('&lt;b&gt;shared&lt;/b&gt;.txt');
    expect(list.text).toContain('Only the name is shared');
    expect(list.text).not.toContain('other.txt');
    expect((await browser.get(`/guest/files/${sharedFile.fileId}`)).status).toBe(200);
    for (const fileId of [nameOnlyFile.fileId, otherFile.fileId, 'unknown']) {
      const page = await browser.get(`/guest/files/${fileId}`);
      expect([page.status, titleOf(page)]).toEqual([404, 'This file is not available']);
      expect((await browser.get(`/guest/files/${fileId}/content`)).status).toBe(404);
    }
    await pda.call('GET', `/api/v2.6/files/restrictAccess/${sharedFile.fileId}/${userId}`);
    expect((await browser.get('/guest')).text).not.toContain('shared&lt;');
    expect((await browser.get(`/guest/files/${sharedFile.fileId}/content`)).status).toBe(404);
  });

  it('show the first page for invalid page numbers', async () => {
    const { fileId } = await storeFile(pda, 'paged.txt', 'x');
    const { browser } = await createGuest([fileId]);
    for (const page of ['0', '-1', 'x', '1.5', '1e9', '9'.repeat(20)])
      expect((await browser.get(`/guest?page=${page}`)).text).toContain('paged.txt');
    expect((await browser.get('/guest?page=2')).text).toContain('Newer files');
  });

  it('require a sign-in, and accept only a cookie with the token of a user', async () => {
    const { browser } = await createGuest();
    const cookie = browser.cookie ?? '';
    expect(cookie).toMatch(/^pda-guest=/u);
    const token = cookie.slice('pda-guest='.length);
    const otherBrowser = createGuestBrowser(pda);
    const locationOf = async (path: string, headers: Record<string, string>) =>
      (await otherBrowser.get(path, headers)).headers.location;
    for (const path of ['/guest', '/guest/account', '/guest/archive', '/guest/files/x', '/guest/files/x/content']) {
      expect(await locationOf(path, {})).toBe('/guest/sign-in');
      expect(await locationOf(path, { 'x-auth-token': token })).toBe('/guest/sign-in');
      for (const wrongToken of [pda.token, `${token}x`, 'x', token.split('.').slice(0, 2).join('.')])
        expect(await locationOf(path, { cookie: `pda-guest=${wrongToken}` })).toBe('/guest/sign-in?notice=ended');
      // The name of the cookie for HTTPS is not accepted over HTTP.
      expect(await locationOf(path, { cookie: `__Host-pda-guest=${token}` })).toBe('/guest/sign-in');
    }
    expect((await otherBrowser.get('/guest', { cookie })).status).toBe(200);
  });

  it('give no access to the API with their cookie, and none to routes of the owner with its token', async () => {
    const { browser } = await createGuest();
    const cookie = browser.cookie ?? '';
    const token = cookie.slice('pda-guest='.length);
    for (const path of [
      '/api/v2.6/owner',
      INVITATIONS,
      '/users/user',
      '/api/v2.6/owner/sessions',
      '/users/access_token/validate',
    ]) {
      expect((await pda.call('GET', path, { token: null, headers: { cookie } })).status).toBe(401);
      if (path !== '/users/access_token/validate') expect((await pda.call('GET', path, { token })).status).toBe(403);
    }
  });

  it('set a cookie that scripts cannot read and other sites cannot use', async () => {
    const { path } = await invite(pda);
    const [setCookie] = (await acceptInvitation(createGuestBrowser(pda), path)).headers['set-cookie'] ?? [];
    expect(setCookie).toMatch(/^pda-guest=[\w.-]+; Path=\/guest; HttpOnly; SameSite=Lax$/u);
  });
});

describe('guest sign-in', () => {
  const signIn = (name: string, password: string, browser = createGuestBrowser(pda)): Promise<Reply> =>
    browser.post('/guest/sign-in', { name, password });

  it('accepts users only, and gives the same response to every wrong name or password', async () => {
    const { userId } = await createGuest();
    const browser = createGuestBrowser(pda);
    expect((await signIn('grace', USER_PASSWORD, browser)).headers.location).toBe('/guest');
    expect((await browser.get('/guest')).status).toBe(200);
    pda.clock.advance(60_000);
    const wrongReplies = [await signIn('Grace', 'wrong'), await signIn('Unknown', USER_PASSWORD)];
    await pda.pda.users.disable(userId);
    wrongReplies.push(await signIn('Grace', USER_PASSWORD));
    for (const reply of wrongReplies) {
      expect([reply.status, reply.headers['set-cookie']]).toEqual([401, undefined]);
      expect(reply.text).toContain('Name or password is wrong');
    }
  });

  it('starts no session for the owner', async () => {
    const browser = createGuestBrowser(pda);
    const sessionCount = pda.pda.owner.sessions('').length;
    const reply = await signIn(OWNER.name, OWNER.password, browser);
    expect([reply.status, browser.cookie]).toEqual([401, undefined]);
    expect(reply.text).toContain('who signs in on the start page');
    expect(pda.pda.owner.sessions('')).toHaveLength(sessionCount);
  });

  it('refuses further passwords for a while after ten wrong ones', async () => {
    await createGuest();
    pda.clock.advance(60_000);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) statuses.push((await signIn('Grace', `guess ${attempt}`)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    const refusedReply = await signIn('Grace', USER_PASSWORD);
    expect([refusedReply.status, refusedReply.headers['retry-after']]).toEqual([429, '2']);
    expect(refusedReply.text).toContain('so this one was not checked. Try again in 2 seconds.');
    pda.clock.advance(1000);
    const fields = { name: 'Grace', password: USER_PASSWORD };
    const germanReply = await createGuestBrowser(pda).post('/guest/sign-in', fields, { 'accept-language': 'de' });
    expect([germanReply.status, germanReply.headers['retry-after']]).toEqual([429, '1']);
    expect(germanReply.text).toContain('Versuchen Sie es in einer Sekunde noch einmal.');
    pda.clock.advance(1000);
    expect((await signIn('Grace', USER_PASSWORD)).status).toBe(303);
    pda.clock.advance(60_000);
    expect((await signIn('Grace', USER_PASSWORD)).status).toBe(303);
  });

  it('redirects only to guest pages, whatever the request contains', async () => {
    await createGuest();
    const browser = createGuestBrowser(pda);
    const reply = await browser.post('/guest/sign-in?then=https://evil.example&redirect=//evil.example', {
      name: 'Grace',
      password: USER_PASSWORD,
      redirect: 'https://evil.example',
    });
    expect(reply.headers.location).toBe('/guest');
    const page = await browser.get('/guest/sign-in?notice=%3Cscript%3E');
    expect([page.status, page.text.includes('script')]).toEqual([200, false]);
  });

  it('is required again after signing out, blocking and deletion', async () => {
    const { browser, userId } = await createGuest();
    const { cookie } = browser;
    expect((await browser.submit('/guest', '/guest/sign-out')).headers.location).toBe(
      '/guest/sign-in?notice=signedOut',
    );
    expect(browser.cookie).toBeUndefined();
    browser.cookie = cookie;
    expect((await browser.get('/guest')).headers.location).toBe('/guest/sign-in?notice=ended');
    await signIn('Grace', USER_PASSWORD, browser);
    await pda.pda.users.disable(userId);
    expect((await browser.get('/guest')).headers.location).toBe('/guest/sign-in?notice=ended');
    await pda.pda.users.enable(userId);
    await signIn('Grace', USER_PASSWORD, browser);
    expect((await browser.get('/guest')).status).toBe(200);
    await pda.pda.users.remove(userId);
    expect((await browser.get('/guest')).headers.location).toBe('/guest/sign-in?notice=ended');
    expect(titleOf(await browser.get('/guest/sign-in?notice=ended'))).toBe('Sign in as a guest');
  });
});

describe('a guest form', () => {
  const ACTIONS = ['/guest/sessions/end', '/guest/password', '/guest/leave'] as const;

  it('sent by another site or without the right token changes nothing (CSRF)', async () => {
    const { browser } = await createGuest();
    const otherGuest = await createGuest([], 'Alan');
    const form = formTokenIn(await browser.get('/guest/account'));
    const fields = {
      password: USER_PASSWORD,
      leavePassword: USER_PASSWORD,
      newPassword: NEW_PASSWORD,
      repeat: NEW_PASSWORD,
    };
    const attacks: [Record<string, string>, Record<string, string>][] = [
      [{}, {}],
      [{ form: '' }, {}],
      [{ form: formTokenIn(await otherGuest.browser.get('/guest/account')) }, {}],
      [{ form }, { 'sec-fetch-site': 'cross-site' }],
      [{ form }, { 'sec-fetch-site': 'same-site' }],
      [{ form }, { origin: 'https://evil.example' }],
    ];
    for (const [token, headers] of attacks) {
      for (const action of ACTIONS)
        expect((await browser.post(action, { ...fields, ...token }, headers)).status).toBe(403);
      expect((await browser.post('/guest/sign-out', token, headers)).headers.location).toBe('/guest');
    }
    expect((await browser.get('/guest')).status).toBe(200);
    expect(userNames()).toEqual(['Alan', 'Grace']);
    expect((await trySignIn(pda, 'Grace')).status).toBe(200);
  });

  it('sent by another site neither signs in nor accepts an invitation', async () => {
    const { path } = await invite(pda);
    const browser = createGuestBrowser(pda);
    const fields = { name: 'Grace', password: USER_PASSWORD, repeat: USER_PASSWORD };
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      expect((await browser.post(path, fields, headers)).status).toBe(403);
      expect((await browser.post('/guest/sign-in', fields, headers)).status).toBe(403);
    }
    expect(userNames()).toEqual([]);
    expect((await browser.post(path, fields, { 'sec-fetch-site': 'same-origin', origin: 'null' })).status).toBe(303);
  });

  it('is refused if it is too large or has a different content type', async () => {
    const { browser } = await createGuest();
    expect((await browser.post('/guest/password', { password: 'x'.repeat(40_000) })).status).toBe(413);
    const jsonReply = await browser.post('/guest/leave', { a: 'b' }, { 'content-type': 'application/json' });
    expect(jsonReply.status).toBe(403);
    expect(userNames()).toEqual(['Grace']);
  });
});

describe('a guest account', () => {
  it('changes the password with the current one, and ends all other sessions', async () => {
    const { browser } = await createGuest();
    const phone = createGuestBrowser(pda);
    await phone.post('/guest/sign-in', { name: 'Grace', password: USER_PASSWORD });
    const change = (password: string, newPassword: string, repeat = newPassword) =>
      browser.submit('/guest/account', '/guest/password', { password, newPassword, repeat });
    for (const [reply, status, text] of [
      [await change('wrong', NEW_PASSWORD), 403, 'The password is wrong.'],
      [await change(USER_PASSWORD, 'password1'), 400, 'This password is too easy to guess.'],
      [await change(USER_PASSWORD, NEW_PASSWORD, 'x'), 400, 'The two passwords differ.'],
      [await change(USER_PASSWORD, ''), 400, 'Enter a password of at most 1,000 characters.'],
    ] as const) {
      expect(reply.status).toBe(status);
      expect(reply.text).toContain(text);
      expect(reply.text).not.toContain('password1');
    }
    expect((await phone.get('/guest')).status).toBe(200);
    // The form can be sent twice, for example by a double click.
    const form = formTokenIn(await browser.get('/guest/account'));
    const fields = { form, password: USER_PASSWORD, newPassword: NEW_PASSWORD, repeat: NEW_PASSWORD };
    const changeReplies = await Promise.all([1, 2].map(() => browser.post('/guest/password', fields)));
    expect(changeReplies.map(({ status }) => status)).toEqual([303, 303]);
    expect(changeReplies.map(({ headers }) => headers.location)).toContain('/guest/account?saved=password');
    expect((await browser.get('/guest/account?saved=password')).text).toContain('Your password was saved.');
    expect((await phone.get('/guest')).headers.location).toBe('/guest/sign-in?notice=ended');
    pda.clock.advance(60_000);
    expect((await trySignIn(pda, 'Grace')).status).toBe(401);
    expect((await trySignIn(pda, 'Grace', NEW_PASSWORD)).status).toBe(200);
  });

  it('lists and ends only the sessions of the guest', async () => {
    const { browser } = await createGuest();
    const otherGuest = await createGuest([], 'Alan');
    const phone = createGuestBrowser(pda);
    await phone.post('/guest/sign-in', { name: 'Grace', password: USER_PASSWORD }, { 'user-agent': 'iPhone Safari/1' });
    const page = await browser.get('/guest/account');
    expect(page.text).toContain('Safari on iPhone');
    expect(page.text).toContain('This browser');
    const actions = [...page.text.matchAll(/action="(?<action>\/guest\/sessions\/[0-9a-f-]{36}\/end)"/gu)];
    expect(actions).toHaveLength(1);
    const form = formTokenIn(page);
    for (const { id } of pda.pda.owner.sessions('').filter(({ user }) => user?.name !== 'Grace'))
      expect((await browser.post(`/guest/sessions/${id}/end`, { form })).status).toBe(303);
    expect((await otherGuest.browser.get('/guest')).status).toBe(200);
    expect((await pda.call('GET', '/api/v2.6/owner')).status).toBe(200);
    await browser.post(actions[0]?.groups?.['action'] ?? '', { form });
    expect((await phone.get('/guest')).headers.location).toBe('/guest/sign-in?notice=ended');
    expect((await browser.submit('/guest/account', '/guest/sessions/end')).headers.location).toBe(
      '/guest/sign-in?notice=signedOutEverywhere',
    );
    expect((await otherGuest.browser.get('/guest')).status).toBe(200);
  });

  it('is deleted by the guest with the password, and access to the shared files ends', async () => {
    const { fileId } = await storeFile(pda, 'left.txt', 'x');
    const { browser, path } = await createGuest([fileId]);
    const signedUrl = (await browser.get(`/guest/files/${fileId}/content`)).headers.location ?? '';
    expect((await browser.submit('/guest/account', '/guest/leave', { leavePassword: 'wrong' })).status).toBe(403);
    expect(userNames()).toEqual(['Grace']);
    // The form can be sent twice, for example by a double click.
    const fields = { form: formTokenIn(await browser.get('/guest/account')), leavePassword: USER_PASSWORD };
    const leaveReplies = await Promise.all([1, 2].map(() => browser.post('/guest/leave', fields)));
    for (const { headers } of leaveReplies)
      expect(headers.location).toMatch(/^\/guest\/sign-in\?notice=(?:left|ended)$/u);
    expect(browser.cookie).toBeUndefined();
    expect(userNames()).toEqual([]);
    expect(
      (await pda.call('GET', new URL(signedUrl).pathname + new URL(signedUrl).search, { token: null })).status,
    ).toBe(403);
    expect((await invitationsOf(pda))[0]).toMatchObject({ state: 'accepted', user: null });
    expect(titleOf(await browser.get(path))).toBe('This invitation was already used');
    // A new guest with this name inherits nothing from the former one.
    const nextGuest = await createGuest();
    expect((await nextGuest.browser.get('/guest')).text).toContain('Nothing is shared with you');
  });

  it('appears in the access history with the name of the guest at every step', async () => {
    const { fileId } = await storeFile(pda, 'seen.txt', 'x', { source: 'walks' });
    const { browser, userId } = await createGuest([fileId]);
    await browser.get('/guest');
    await browser.get(`/guest/files/${fileId}`);
    await openContent(browser, fileId);
    await browser.get('/guest/archive');
    await browser.submit('/guest/account', '/guest/leave', { leavePassword: 'wrong' });
    await browser.submit('/guest/account', '/guest/leave', { leavePassword: USER_PASSWORD });
    const rows = await rowsOf(userId);
    expect(rows.map(({ action, outcome, records }) => [action, outcome, records]).toReversed()).toEqual([
      ['invitation-accepted', 'allowed', 0],
      ['sign-in', 'allowed', 0],
      ['GET /guest', 'allowed', 1],
      ['GET /guest/files/:fileId', 'allowed', 1],
      ['GET /storage/:fileId', 'allowed', 1],
      ['GET /guest/archive', 'allowed', 1],
      ['guest-left', 'refused', 0],
      ['guest-left', 'allowed', 0],
    ]);
    for (const { who } of rows) expect(who).toEqual({ kind: 'user', name: userId, person: 'Grace' });
  });
});

describe('a guest at the public address', () => {
  it('gets a cookie that is bound to this host and to https', async () => {
    const publicPda = await startTestPda({ publicUrl: 'https://ada.example.org' });
    try {
      const { path } = await invite(publicPda);
      const browser = createGuestBrowser(publicPda, 'ada.example.org');
      const reply = await acceptInvitation(browser, path);
      const [cookie] = reply.headers['set-cookie'] ?? [];
      expect(cookie).toMatch(/^__Host-pda-guest=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax$/u);
      expect((await browser.get('/guest')).status).toBe(200);
      const unprefixedCookie = browser.cookie?.replace('__Host-', '') ?? '';
      // A cookie without the prefix could have been set by another PDA below the same domain.
      expect(
        (await createGuestBrowser(publicPda, 'ada.example.org').get('/guest', { cookie: unprefixedCookie })).headers
          .location,
      ).toBe('/guest/sign-in');
    } finally {
      await publicPda.close();
    }
  });
});
