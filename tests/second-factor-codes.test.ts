import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCodes, hashCode, normalizeCode } from '../server/pda/identity/second-factor/methods/recovery-codes.ts';
import { codeAt, secretText, stepAt, stepOf, uriOf } from '../server/pda/identity/second-factor/methods/totp.ts';
import { appSecretSchema, changedFactorSchema } from '../server/wire/second-factor.ts';
import type { Reply } from './support/http.ts';
import { recordPasswordChecks } from './support/quick-hashes.ts';
import {
  addAuthenticatorApp,
  decodeBase32,
  codeOf,
  SECOND_FACTOR_PATH,
  publicHostHeader,
  proof,
  signInFrom,
  readSecondFactor,
  signInMethodsOf,
} from './support/second-factor.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser, trySignIn, USER_PASSWORD } from './support/users.ts';

const HOUR_MS = 3_600_000;

describe('codes of authenticator apps', () => {
  // RFC 6238, appendix B: times in seconds, eight digits.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('match the RFC test vectors at %d', (seconds, code) => {
    const secret = Buffer.from('12345678901234567890');
    expect(codeAt(secret, stepAt(seconds * 1000), 8)).toBe(code);
    expect(codeAt(secret, stepAt(seconds * 1000))).toBe(code.slice(2));
  });

  // RFC 4648, section 10, without padding.
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('have their secret encoded as in RFC 4648: %s', (text, encodedText) => {
    expect(secretText(Buffer.from(text))).toBe(encodedText);
  });

  it('are valid one step early or late, and never at or before the last used step', () => {
    const secret = Buffer.from('12345678901234567890');
    const now = 1_700_000_000_000;
    const validSteps = [-2, -1, 0, 1, 2].map(
      (steps) => stepOf(secret, codeAt(secret, stepAt(now) + steps), now, 0) !== undefined,
    );
    expect(validSteps).toStrictEqual([false, true, true, true, false]);
    expect(stepOf(secret, codeAt(secret, stepAt(now)), now, stepAt(now))).toBeUndefined();
    expect(stepOf(secret, codeAt(secret, stepAt(now) + 1), now, stepAt(now))).toBe(stepAt(now) + 1);
  });

  it('are set up by an otpauth URL', () => {
    const uri = new URL(uriOf(Buffer.from('12345678901234567890'), 'ada', 'Personal Data Account'));
    expect(uri.href).toMatch(/^otpauth:\/\/totp\/Personal%20Data%20Account:ada\?/u);
    expect(Object.fromEntries(uri.searchParams)).toStrictEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'Personal Data Account',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(uri.href).not.toContain('+');
  });
});

describe('recovery codes', () => {
  it('are ten distinct 80-bit codes, accepted in any notation', () => {
    const codes = createCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) {
      expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/u);
      const letters = code.replaceAll('-', '');
      for (const notation of [code, ` ${code.toLowerCase()} `, letters, code.replaceAll('0', 'o').replaceAll('1', 'l')])
        expect(normalizeCode(notation)).toBe(letters);
    }
    expect(normalizeCode('0000-0000-0000-000')).toBeUndefined();
    expect(normalizeCode('0000-0000-0000-000U')).toBeUndefined();
    expect(hashCode(Buffer.from('a'), 'x')).not.toStrictEqual(hashCode(Buffer.from('b'), 'x'));
  });
});

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({ publicUrl: 'https://ada.example' });
});
afterAll(() => pda.close());
beforeEach(async () => {
  await pda.pda.secondFactor.reset();
  pda.clock.advance(26 * HOUR_MS);
  pda.token = await pda.signIn();
  // The sign-in of the test itself has used an attempt.
  pda.clock.advance(60_000);
});

describe('an authenticator app', () => {
  it('is required from outside once it is confirmed with a valid code, and not on this machine', async () => {
    expect(await signInMethodsOf(pda)).toStrictEqual({ required: false, app: false, passkey: null });
    const appReply = await pda.call('POST', `${SECOND_FACTOR_PATH}/app`, { json: proof() });
    const { secret } = appSecretSchema.parse(appReply.json);
    expect(decodeBase32(secret)).toHaveLength(20);
    expect((await signInFrom(pda)).status).toBe(200);
    const wrongReply = await pda.call('POST', `${SECOND_FACTOR_PATH}/app/confirm`, {
      json: { code: codeOf(pda, secret, 5) },
    });
    expect([wrongReply.status, errorOf(wrongReply).error]).toStrictEqual([403, 'forbidden']);
    expect((await signInFrom(pda)).status).toBe(200);
    const rightReply = await pda.call('POST', `${SECOND_FACTOR_PATH}/app/confirm`, {
      json: { code: codeOf(pda, secret) },
    });
    const { secondFactor, recoveryCodes } = changedFactorSchema.parse(rightReply.json);
    expect(secondFactor).toMatchObject({ on: true, always: false, required: false, recovery: { left: 10 } });
    expect(recoveryCodes).toHaveLength(10);
    expect(JSON.stringify(await readSecondFactor(pda))).not.toContain(secret);
    expect(await signInMethodsOf(pda)).toStrictEqual({ required: true, app: true, passkey: null });
    expect(await signInMethodsOf(pda, { host: pda.host })).toMatchObject({ required: false });
    const replyWithoutCode = await signInFrom(pda);
    expect([replyWithoutCode.status, errorOf(replyWithoutCode).error]).toStrictEqual([401, 'second_factor_required']);
    expect(replyWithoutCode.headers['x-auth-token']).toBeUndefined();
    expect((await trySignIn(pda, OWNER.name, OWNER.password)).status).toBe(200);
  });

  it('signs in with name, password and code; a code is valid once, even in the adjacent steps', async () => {
    const { secret } = await addAuthenticatorApp(pda);
    const [previousCode, code, nextCode] = [codeOf(pda, secret, -1), codeOf(pda, secret), codeOf(pda, secret, 1)];
    expect((await signInFrom(pda, previousCode)).status).toBe(200);
    expect((await signInFrom(pda, previousCode)).status).toBe(401);
    expect((await signInFrom(pda, `${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(200);
    expect((await signInFrom(pda, code)).status).toBe(401);
    pda.clock.advance(30_000);
    expect((await signInFrom(pda, code)).status).toBe(401);
    expect((await signInFrom(pda, nextCode)).status).toBe(200);
    expect((await signInFrom(pda, nextCode)).status).toBe(401);
    await pda.restart();
    expect((await signInFrom(pda, nextCode)).status).toBe(401);
    pda.clock.advance(30_000);
    expect((await signInFrom(pda, codeOf(pda, secret))).status).toBe(200);
  });

  it('does not accept the code that turned it on', async () => {
    const appReply = await pda.call('POST', `${SECOND_FACTOR_PATH}/app`, { json: proof() });
    const { secret } = appSecretSchema.parse(appReply.json);
    const code = codeOf(pda, secret);
    expect((await pda.call('POST', `${SECOND_FACTOR_PATH}/app/confirm`, { json: { code } })).status).toBe(200);
    expect((await signInFrom(pda, code)).status).toBe(401);
    expect((await signInFrom(pda, codeOf(pda, secret, 1))).status).toBe(200);
  });

  it('accepts only one of several concurrent sign-ins with the same code', async () => {
    const { secret } = await addAuthenticatorApp(pda);
    const code = codeOf(pda, secret);
    const replies = await Promise.all([1, 2, 3, 4].map(() => signInFrom(pda, code)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 401, 401, 401]);
  });

  it('gives the same error for a right and a wrong password, without a code and with a wrong one', async () => {
    await addAuthenticatorApp(pda);
    const errorFor = async (factor: string | undefined, password: string): Promise<unknown> => {
      const reply = await signInFrom(pda, factor, { password });
      return [reply.status, { ...errorOf(reply), requestId: '' }, reply.headers['x-auth-token']];
    };
    for (const factor of [undefined, '000000', 'ABCD-ABCD-ABCD-ABCD', 'x', ''])
      expect(await errorFor(factor, 'wrong')).toStrictEqual(await errorFor(factor, OWNER.password));
    pda.clock.advance(60_000);
    // A sign-in with another name does not ask for the owner's second factor.
    const userReply = await signInFrom(pda, undefined, { name: 'grace' });
    expect([userReply.status, errorOf(userReply).error]).toStrictEqual([401, 'invalid_credentials']);
  });

  it('counts attempts at codes and passwords together', async () => {
    const { secret } = await addAuthenticatorApp(pda);
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await signInFrom(pda, '000000')).status).toBe(401);
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect((await signInFrom(pda, undefined, { password: 'wrong' })).status).toBe(401);
    const reply = await signInFrom(pda, codeOf(pda, secret));
    expect([reply.status, reply.headers['retry-after']]).toStrictEqual([429, '2']);
  });

  it('accepts no code for a day after ten wrong ones with the right password, and reports this only to the owner', async () => {
    const { secret, codes } = await addAuthenticatorApp(pda);
    const wrongCodes = Array.from({ length: 10 }, (_, index) => String(index).repeat(6)).filter(
      (code) => ![-1, 0, 1].some((steps) => codeOf(pda, secret, steps) === code),
    );
    for (const code of [...wrongCodes, '123123', '321321'].slice(0, 10)) {
      pda.clock.advance(2000);
      expect((await signInFrom(pda, code)).status).toBe(401);
    }
    pda.clock.advance(2000);
    const lockedSignIn = await signInFrom(pda, codeOf(pda, secret));
    expect([lockedSignIn.status, errorOf(lockedSignIn).error]).toStrictEqual([401, 'invalid_credentials']);
    await expect.poll(async () => (await readSecondFactor(pda)).news.wrongTries).toBe(11);
    // Methods that cannot be guessed still work.
    pda.clock.advance(2000);
    expect((await signInFrom(pda, codes[0])).status).toBe(200);
    pda.clock.advance(24 * HOUR_MS);
    expect((await signInFrom(pda, codeOf(pda, secret))).status).toBe(200);
    const seenReply = await pda.call('POST', `${SECOND_FACTOR_PATH}/seen`, {});
    expect(seenReply.json).toMatchObject({ news: { wrongTries: 0, lastWrongTry: null, recoveryUsed: null } });
  });

  it('is not locked by callers without the password', async () => {
    const { secret } = await addAuthenticatorApp(pda);
    for (let attempt = 0; attempt < 15; attempt += 1) {
      pda.clock.advance(2000);
      expect((await signInFrom(pda, '000000', { password: 'wrong' })).status).toBe(401);
    }
    pda.clock.advance(2000);
    expect((await signInFrom(pda, codeOf(pda, secret))).status).toBe(200);
    expect((await readSecondFactor(pda)).news.wrongTries).toBe(0);
  });

  it('is logged in the access history when it is turned on, and so are wrong codes and wrong passwords', async () => {
    await addAuthenticatorApp(pda);
    await signInFrom(pda, '000000');
    await signInFrom(pda, '000000', { password: 'wrong' });
    const { rows } = (await pda.call('GET', '/api/v2.6/owner/ledger?take=20')).json as {
      rows: { action: string; reason: string | null }[];
    };
    const reasons = rows.filter(({ action }) => action === 'sign-in').map(({ reason }) => reason);
    expect(reasons).toContain('second_factor_wrong');
    expect(reasons).toContain('invalid_credentials');
    expect(rows.map(({ action }) => action)).toContain('second-factor-on');
  });

  it('is not required of users', async () => {
    await addAuthenticatorApp(pda);
    await addUser(pda, 'grace');
    expect((await signInFrom(pda, undefined, { name: 'grace', password: USER_PASSWORD })).status).toBe(200);
    expect((await signInFrom(pda, undefined, { name: 'grace', password: 'wrong' })).status).toBe(401);
  });
});

describe('a recovery code', () => {
  it('is valid once in any notation, and its use is reported to the owner', async () => {
    const { codes } = await addAuthenticatorApp(pda);
    const [firstCode = '', secondCode = ''] = codes;
    const topics: string[] = [];
    const unsubscribe = pda.pda.events.onTopic((topic) => topics.push(topic));
    expect((await signInFrom(pda, firstCode.toLowerCase().replaceAll('-', ' '))).status).toBe(200);
    unsubscribe();
    expect(topics).toContain('second-factor');
    expect((await signInFrom(pda, firstCode)).status).toBe(401);
    expect(await readSecondFactor(pda)).toMatchObject({
      recovery: { left: 9 },
      news: { recoveryUsed: expect.any(String) },
    });
    const replies = await Promise.all([1, 2, 3].map(() => signInFrom(pda, secondCode)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 401, 401]);
    const ledger = await pda.call('GET', '/api/v2.6/owner/ledger?take=20');
    expect(ledger.text).toContain('recovery-code');
    for (const code of codes) expect(ledger.text).not.toContain(code);
  });

  it('is not used up by a wrong password', async () => {
    const { codes } = await addAuthenticatorApp(pda);
    expect((await signInFrom(pda, codes[3], { password: 'wrong' })).status).toBe(401);
    expect((await signInFrom(pda, codes[3])).status).toBe(200);
  });

  it('is replaced by new codes', async () => {
    const { codes } = await addAuthenticatorApp(pda);
    const newCodesReply = await pda.call('POST', `${SECOND_FACTOR_PATH}/recovery-codes`, { json: proof() });
    const { recoveryCodes } = changedFactorSchema.parse(newCodesReply.json);
    expect((await signInFrom(pda, codes[0])).status).toBe(401);
    expect((await signInFrom(pda, recoveryCodes?.[0])).status).toBe(200);
  });
});

describe('changing the second factor', () => {
  const paths = ['off', 'app', 'app/remove', 'recovery-codes', 'passkey-options'];

  it.each(paths)('requires the password on this machine, plus the second factor from outside: %s', async (path) => {
    const { secret } = await addAuthenticatorApp(pda);
    const post = (json: unknown, host: string) =>
      pda.call('POST', `${SECOND_FACTOR_PATH}/${path}`, { json, headers: publicHostHeader(host) });
    const localHost = pda.host.replace('127.0.0.1', 'localhost');
    for (const [json, host] of [
      [proof({ password: 'wrong' }), localHost],
      [proof(), undefined],
      [proof({ code: '000000' }), undefined],
      [proof({ password: 'wrong', code: codeOf(pda, secret) }), undefined],
    ] as const) {
      const reply = await post(json, host ?? 'ada.example');
      expect([reply.status, errorOf(reply).error]).toStrictEqual([403, 'forbidden']);
    }
    expect(await readSecondFactor(pda)).toMatchObject({ on: true, recovery: { left: 10 } });
    // The wrong password has not used up the code.
    expect((await post(proof({ code: codeOf(pda, secret) }), 'ada.example')).status).toBe(200);
    // The change has used up the code. A sign-in needs none if the change turned the second factor off.
    expect((await signInFrom(pda, codeOf(pda, secret))).status).toBe((await readSecondFactor(pda)).on ? 401 : 200);
  });

  it('is refused with 429 after ten wrong passwords', async () => {
    await addAuthenticatorApp(pda);
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await pda.call('POST', `${SECOND_FACTOR_PATH}/off`, { json: proof({ password: 'wrong' }) })).status).toBe(
        403,
      );
    expect((await pda.call('POST', `${SECOND_FACTOR_PATH}/off`, { json: proof() })).status).toBe(429);
  });

  it('removes every second factor and the recovery codes when the owner turns it off, and keeps sessions', async () => {
    const { secret, codes } = await addAuthenticatorApp(pda);
    const sessionToken = (await signInFrom(pda, codeOf(pda, secret))).headers['x-auth-token'];
    const offReply = await pda.call('POST', `${SECOND_FACTOR_PATH}/off`, { json: proof() });
    expect(offReply.json).toMatchObject({ on: false, always: false, app: null, passkeys: [], recovery: null });
    expect(
      (await pda.call('GET', SECOND_FACTOR_PATH, { token: String(sessionToken), headers: publicHostHeader() })).status,
    ).toBe(200);
    expect((await signInFrom(pda)).status).toBe(200);
    const secondApp = await addAuthenticatorApp(pda);
    expect((await signInFrom(pda, codes[0])).status).toBe(401);
    expect((await signInFrom(pda, secondApp.codes[0])).status).toBe(200);
    expect((await pda.call('POST', `${SECOND_FACTOR_PATH}/app/remove`, { json: proof() })).json).toMatchObject({
      on: false,
    });
    const secondReply = await pda.call('POST', `${SECOND_FACTOR_PATH}/off`, { json: proof() });
    expect([secondReply.status, errorOf(secondReply).error]).toStrictEqual([409, 'wrong_state']);
  });

  it('keeps the existing app until a new one is confirmed with its code', async () => {
    const { secret } = await addAuthenticatorApp(pda);
    const { secret: nextSecret } = appSecretSchema.parse(
      (await pda.call('POST', `${SECOND_FACTOR_PATH}/app`, { json: proof() })).json,
    );
    expect((await signInFrom(pda, codeOf(pda, secret))).status).toBe(200);
    expect((await signInFrom(pda, codeOf(pda, nextSecret))).status).toBe(401);
    const confirmReply = await pda.call('POST', `${SECOND_FACTOR_PATH}/app/confirm`, {
      json: { code: codeOf(pda, nextSecret) },
    });
    expect(changedFactorSchema.parse(confirmReply.json).recoveryCodes).toBeNull();
    pda.clock.advance(60_000);
    expect((await signInFrom(pda, codeOf(pda, secret))).status).toBe(401);
    expect((await signInFrom(pda, codeOf(pda, nextSecret))).status).toBe(200);
  });

  it('must be completed in the session that began it, within ten minutes and ten codes', async () => {
    const startAppSetup = async (): Promise<string> =>
      appSecretSchema.parse((await pda.call('POST', `${SECOND_FACTOR_PATH}/app`, { json: proof() })).json).secret;
    const confirm = (code: string, token = pda.token) =>
      pda.call('POST', `${SECOND_FACTOR_PATH}/app/confirm`, { token, json: { code } });
    const secret = await startAppSetup();
    expect((await confirm(codeOf(pda, secret), await pda.signIn())).status).toBe(409);
    pda.clock.advance(600_001);
    expect((await confirm(codeOf(pda, secret))).status).toBe(409);
    const otherSecret = await startAppSetup();
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await confirm(codeOf(pda, otherSecret, 9))).status).toBe(403);
    expect((await confirm(codeOf(pda, otherSecret))).status).toBe(409);
    expect((await readSecondFactor(pda)).on).toBe(false);
  });

  it('can make the second factor required on this machine too, and then for every later change', async () => {
    const { secret } = await addAuthenticatorApp(pda);
    const putAlways = (json: unknown) => pda.call('PUT', `${SECOND_FACTOR_PATH}/always`, { json });
    expect((await putAlways({ always: true, ...proof() })).json).toMatchObject({ always: true, required: true });
    expect((await trySignIn(pda, OWNER.name, OWNER.password)).status).toBe(401);
    expect((await signInFrom(pda, codeOf(pda, secret), { host: pda.host })).status).toBe(200);
    expect((await putAlways({ always: false, ...proof() })).status).toBe(403);
    pda.clock.advance(30_000);
    expect((await putAlways({ always: false, ...proof({ code: codeOf(pda, secret) }) })).json).toMatchObject({
      always: false,
    });
    expect((await trySignIn(pda, OWNER.name, OWNER.password)).status).toBe(200);
  });
});

describe('a password check', () => {
  it('does the same work for a right password as for a wrong one', async () => {
    await addAuthenticatorApp(pda);
    const checksOf = (password: string) => recordPasswordChecks(() => signInFrom(pda, '000000', { password }));
    const [rightPasswordChecks, wrongPasswordChecks] = [await checksOf(OWNER.password), await checksOf('wrong')];
    expect(rightPasswordChecks).toHaveLength(1);
    expect(wrongPasswordChecks).toStrictEqual(rightPasswordChecks);
  });
});

describe('a local sign-in', () => {
  it("from a page of another site needs the code too, and uses up none of the owner's attempts", async () => {
    await addAuthenticatorApp(pda);
    const signIn = (password: string, headers: Record<string, string> = {}) =>
      pda.call('GET', '/users/access_token', {
        token: null,
        headers: { username: OWNER.name, password: encodeURIComponent(password), ...headers },
      });
    const origin = 'https://evil.example';
    const reply = await signIn(OWNER.password, { origin });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([401, 'second_factor_required']);
    let lastReply = reply;
    for (let attempt = 0; attempt < 20 && lastReply.status !== 429; attempt += 1)
      lastReply = await signIn('wrong', { origin });
    expect(lastReply.status).toBe(429);
    expect((await signIn(OWNER.password)).status).toBe(200);
    expect((await signIn(OWNER.password, { origin: `http://localhost:${pda.port}` })).status).toBe(200);
    pda.clock.advance(60_000);
    await pda.pda.secondFactor.reset();
  });
});

describe('turning the second factor on or off', () => {
  it('rejects concurrent sign-ins without a code once it is on, or with a code once it is off', async () => {
    const { verifier, reset } = pda.pda.secondFactor;
    const { secret } = await addAuthenticatorApp(pda);
    // Simulates a second factor that is turned on between the password check and the start of the session.
    const requiredSpy = vi.spyOn(verifier, 'isRequired').mockReturnValueOnce(false);
    const earlyReply = await signInFrom(pda);
    expect(requiredSpy).toHaveBeenCalledTimes(2);
    requiredSpy.mockRestore();
    expect(earlyReply.status).toBe(401);
    const code = codeOf(pda, secret);
    // Turns the second factor off between the check of the code and the start of the session.
    const { verify } = verifier;
    const verifySpy = vi.spyOn(verifier, 'verify').mockImplementationOnce(async (...request) => {
      const verification = await verify(...request);
      await reset();
      return verification;
    });
    const lateReply = await signInFrom(pda, code);
    expect(verifySpy).toHaveBeenCalledOnce();
    verifySpy.mockRestore();
    expect(lateReply.status).toBe(401);
    expect((await signInFrom(pda)).status).toBe(200);
  });

  it('during a concurrent password change either succeeds completely or is refused', async () => {
    const { secret } = await addAuthenticatorApp(pda);
    const [offReply] = await Promise.all([
      pda.call('POST', `${SECOND_FACTOR_PATH}/off`, {
        json: proof({ code: codeOf(pda, secret) }),
        headers: publicHostHeader(),
      }),
      pda.pda.owner.resetPassword(`${OWNER.password}!`),
    ]);
    await pda.pda.owner.resetPassword(OWNER.password);
    pda.token = await pda.signIn();
    expect([offReply.status, (await readSecondFactor(pda)).on]).toStrictEqual(
      offReply.status === 200 ? [200, false] : [403, true],
    );
  });
});

describe('changing the password', () => {
  const NEW_PASSWORD = 'another horse, another battery';
  const changePassword = (
    overrides: object = {},
    headers: Record<string, string> = publicHostHeader(),
  ): Promise<Reply> =>
    pda.call('POST', '/api/v2.6/owner/password', {
      json: { password: OWNER.password, newPassword: NEW_PASSWORD, ...overrides },
      headers,
    });

  it('requires the second factor once from outside, and only the password on this machine', async () => {
    const { secret, codes } = await addAuthenticatorApp(pda);
    const code = codeOf(pda, secret);
    const refusals = [await changePassword(), await changePassword({ code: codeOf(pda, secret, 7) })];
    // A missing factor is not a wrong one.
    await expect.poll(async () => (await readSecondFactor(pda)).news.wrongTries).toBe(1);
    // A valid code with a wrong password gets the same error, and is not used up.
    refusals.push(await changePassword({ code, password: 'wrong' }));
    for (const reply of refusals)
      expect([reply.status, errorOf(reply).cause]).toStrictEqual([
        403,
        'The old password or the second factor is wrong. Nothing was changed.',
      ]);
    // An invalid new password does not use up the code, either.
    expect((await changePassword({ code, newPassword: 'password1' })).status).toBe(400);
    expect((await signInFrom(pda)).status).toBe(401);
    pda.clock.advance(60_000);
    const result = await changePassword({ code: codes[0] });
    expect(result.status, result.text).toBe(200);
    pda.token = String(result.headers['x-auth-token']);
    expect((await readSecondFactor(pda)).recovery?.left).toBe(9);
    const loggedStatuses = (await pda.pda.ledger.list({ take: 100 })).rows
      .filter(({ action }) => action === 'password-change')
      .map(({ status }) => status);
    expect(loggedStatuses.toSorted((a, b) => a - b)).toStrictEqual([200, 400, 403, 403, 403]);
    const restoreReply = await changePassword({ password: NEW_PASSWORD, newPassword: OWNER.password }, {});
    expect(restoreReply.status).toBe(200);
    pda.token = String(restoreReply.headers['x-auth-token']);
  });
});
