import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { siteOfBase } from '../server/platform/auth/passkeys/site.ts';
import type { Assertion } from '../server/wire/passkeys.ts';
import { passkeyOptionsSchema, secondFactorSchema } from '../server/wire/second-factor.ts';
import type { Reply } from './support/http.ts';
import {
  addAuthenticatorApp,
  addPasskey,
  passkeyHeader,
  challengeOf,
  codeOf,
  createPasskey,
  SECOND_FACTOR_PATH,
  newKeys,
  publicHostHeader,
  USER_PRESENT,
  proof,
  registrationChallengeOf,
  signInFrom,
  USER_VERIFIED,
  readSecondFactor,
  signInMethodsOf,
} from './support/second-factor.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';

const HOUR_MS = 3_600_000;
/** Rows of an earlier version, which stored keys as SubjectPublicKeyInfo, and the private keys of the passkeys. */
const EARLIER_PASSKEYS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'support/earlier-passkeys.json'), 'utf8'),
) as {
  kind: 'ec' | 'ed25519' | 'rsa';
  credential: string;
  rpId: string;
  publicKey: string;
  counter: number;
  privateKey: string;
}[];

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({ publicUrl: 'https://ada.example' });
});
afterAll(() => pda.close());
beforeEach(async () => {
  await pda.pda.secondFactor.reset();
  pda.clock.advance(HOUR_MS);
  pda.token = await pda.signIn();
  pda.clock.advance(60_000);
});

const signIn = (assertion: Assertion, overrides: Parameters<typeof signInFrom>[2] = {}): Promise<Reply> =>
  signInFrom(pda, passkeyHeader(assertion), overrides);

describe('passkey support', () => {
  it.each([
    ['https://ada.example', 'ada.example'],
    ['https://ada.example:8443', 'ada.example'],
    ['http://localhost:1234', 'localhost'],
    ['http://ada.localhost:1234', 'ada.localhost'],
    ['http://ada.example', undefined],
    ['http://127.0.0.1:1234', undefined],
    ['https://203.0.113.5', undefined],
    ['http://[::1]:1234', undefined],
  ])('at %s has the relying party ID %s', (base, rpId) => {
    expect(siteOfBase(base)).toStrictEqual(rpId === undefined ? undefined : { rpId, origin: base });
  });

  it('is reported; at an IP address, passkeys cannot be added or used', async () => {
    expect(await readSecondFactor(pda)).toMatchObject({ passkeyAddress: null });
    expect(await readSecondFactor(pda, publicHostHeader())).toMatchObject({ passkeyAddress: 'ada.example' });
    expect(await readSecondFactor(pda, { host: `localhost:${pda.port}` })).toMatchObject({
      passkeyAddress: 'localhost',
    });
    const refusedReply = await pda.call('POST', `${SECOND_FACTOR_PATH}/passkey-options`, { json: proof() });
    expect([refusedReply.status, errorOf(refusedReply).error]).toStrictEqual([409, 'wrong_state']);
    await addPasskey(pda, createPasskey());
    expect((await signInMethodsOf(pda, { host: pda.host })).passkey).toBeNull();
    expect((await signInMethodsOf(pda, { host: `localhost:${pda.port}` })).passkey).toBeNull();
    expect((await signInMethodsOf(pda)).passkey).toMatchObject({ rpId: 'ada.example' });
  });
});

describe('a passkey', () => {
  it.each(['ec', 'rsa', 'ed25519'] as const)(
    'signs in remotely together with name and password (key type %s)',
    async (kind) => {
      const passkey = createPasskey({ keys: newKeys(kind) });
      const { secondFactor, recoveryCodes } = await addPasskey(pda, passkey, '  my laptop ');
      expect(secondFactor).toMatchObject({
        on: true,
        app: null,
        passkeys: [{ name: 'my laptop', lastUsed: null, address: 'ada.example', usableHere: true }],
      });
      expect(recoveryCodes).toHaveLength(10);
      expect((await signInFrom(pda)).status).toBe(401);
      const assertion = passkey.get({ challenge: await challengeOf(pda) });
      expect((await signIn(assertion)).status).toBe(200);
      expect((await readSecondFactor(pda)).passkeys[0]?.lastUsed).toBe(new Date(pda.clock.now()).toISOString());
      expect((await signIn(passkey.get({ challenge: await challengeOf(pda) }), { password: 'wrong' })).status).toBe(
        401,
      );
    },
  );

  it.each(EARLIER_PASSKEYS)('signs in if an earlier version stored it (key type $kind)', async (earlierPasskey) => {
    const db = new Sqlite(join(pda.home, 'pda.sqlite'), { timeout: 60_000 });
    db.prepare(
      `INSERT INTO passkeys (id, credential, rp_id, public_key, counter, name, created)
       VALUES (:id, :credential, :rpId, :publicKey, :counter, :kind, 0)`,
    ).run({ ...earlierPasskey, id: randomUUID(), publicKey: Buffer.from(earlierPasskey.publicKey, 'base64url') });
    db.close();
    const privateKey = createPrivateKey(earlierPasskey.privateKey);
    const keys = { privateKey, publicKey: createPublicKey(privateKey) };
    const passkey = createPasskey({ keys, id: Buffer.from(earlierPasskey.credential, 'base64url') });
    expect(
      (await signIn(passkey.get({ challenge: await challengeOf(pda) }))).status,
      'the counter is not above the stored one',
    ).toBe(401);
    expect((await signIn(passkey.get({ challenge: await challengeOf(pda) }))).status).toBe(200);
    const otherPasskey = createPasskey({
      keys: newKeys(earlierPasskey.kind),
      id: Buffer.from(earlierPasskey.credential, 'base64url'),
    });
    otherPasskey.setCounter(9);
    expect((await signIn(otherPasskey.get({ challenge: await challengeOf(pda) }))).status).toBe(401);
  });

  it('signs in once per challenge, even with concurrent requests', async () => {
    const passkey = createPasskey();
    await addPasskey(pda, passkey);
    const challenge = await challengeOf(pda);
    const assertion = passkey.get({ challenge });
    const replies = await Promise.all([signIn(assertion), signIn(assertion), signIn(passkey.get({ challenge }))]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 401, 401]);
    pda.clock.advance(60_000);
    expect((await signIn(passkey.get({ challenge }))).status).toBe(401);
  });

  it('must sign a recent challenge of this server for this purpose', async () => {
    const passkey = createPasskey();
    await addPasskey(pda, passkey);
    const tamperedChallenge = (await challengeOf(pda)).replace(/^./u, (first) => (first === 'A' ? 'B' : 'A'));
    const oldChallenge = await challengeOf(pda);
    const sessionChallenge = await challengeOf(pda, { token: pda.token });
    const { secret } = await addAuthenticatorApp(pda);
    const registrationChallenge = await registrationChallengeOf(pda, { code: codeOf(pda, secret) });
    pda.clock.advance(300_001);
    const invalidChallenges = [
      tamperedChallenge,
      oldChallenge,
      sessionChallenge,
      registrationChallenge,
      'AAAA',
      '',
      `${await challengeOf(pda)}A`,
    ];
    for (const challenge of invalidChallenges)
      expect([challenge, (await signIn(passkey.get({ challenge }))).status]).toStrictEqual([challenge, 401]);
    // Another base64 spelling of the challenge, which differs only in padding, is refused.
    const validChallenge = await challengeOf(pda);
    expect((await signIn(passkey.get({ challenge: `${validChallenge}=` }))).status).toBe(401);
    pda.clock.advance(60_000);
    const secondChallenge = await challengeOf(pda);
    await pda.restart();
    expect((await signIn(passkey.get({ challenge: secondChallenge }))).status).toBe(401);
    expect((await signIn(passkey.get({ challenge: await challengeOf(pda) }))).status).toBe(200);
  });

  it('must be for this address, from a page of this PDA, with a verified user', async () => {
    const passkey = createPasskey();
    await addPasskey(pda, passkey);
    const invalidAssertions = [
      { origin: 'https://evil.example' },
      { origin: 'http://ada.example' },
      { origin: 'https://ada.example:444' },
      { origin: 'https://ada.example.evil.example' },
      { rpId: 'evil.example' },
      { rpId: 'example' },
      { flags: USER_PRESENT },
      { flags: USER_VERIFIED },
      { flags: 0 },
      { type: 'webauthn.create' },
      { client: { crossOrigin: true } },
      { client: { topOrigin: 'https://evil.example' } },
    ];
    for (const ceremony of invalidAssertions) {
      pda.clock.advance(2000);
      const reply = await signIn(passkey.get({ challenge: await challengeOf(pda), ...ceremony }));
      expect([ceremony, reply.status, errorOf(reply).error]).toStrictEqual([ceremony, 401, 'invalid_credentials']);
    }
    pda.clock.advance(2000);
    expect((await signIn(passkey.get({ challenge: await challengeOf(pda) }))).status).toBe(200);
  });

  it('is refused with a different key or id, or with different signed bytes', async () => {
    const passkey = createPasskey();
    await addPasskey(pda, passkey);
    const otherPasskey = createPasskey();
    const newAssertion = async (): Promise<Assertion> => passkey.get({ challenge: await challengeOf(pda) });
    const otherAssertion = otherPasskey.get({ challenge: await challengeOf(pda) });
    const nextAssertion = passkey.get({ challenge: await challengeOf(pda) });
    const invalidAssertions: Assertion[] = [
      otherAssertion,
      { ...otherAssertion, id: passkey.id },
      { ...(await newAssertion()), id: otherPasskey.id },
      { ...(await newAssertion()), authenticatorData: nextAssertion.authenticatorData },
      { ...(await newAssertion()), clientDataJSON: nextAssertion.clientDataJSON },
      { ...(await newAssertion()), signature: 'AAAA' },
      { ...(await newAssertion()), authenticatorData: 'AAAA' },
      { ...(await newAssertion()), clientDataJSON: Buffer.from('{').toString('base64url') },
    ];
    for (const assertion of invalidAssertions) {
      pda.clock.advance(2000);
      expect((await signIn(assertion)).status).toBe(401);
    }
    for (const header of ['passkey !', 'passkey e30', `passkey ${Buffer.from('[]').toString('base64url')}`])
      expect([400, 401]).toContain((await signInFrom(pda, header)).status);
    expect((await signInFrom(pda, 'x'.repeat(8001))).status).toBe(400);
  });

  it('must increase its counter; a clone is refused and reported to the owner', async () => {
    const passkey = createPasskey();
    await addPasskey(pda, passkey);
    passkey.setCounter(9);
    expect((await signIn(passkey.get({ challenge: await challengeOf(pda) }))).status).toBe(200);
    for (const counter of [9, 4, 0]) {
      passkey.setCounter(counter);
      expect((await signIn(passkey.get({ challenge: await challengeOf(pda) }, false), {})).status).toBe(401);
    }
    await expect.poll(async () => (await readSecondFactor(pda)).news.wrongTries).toBe(3);
    passkey.setCounter(10);
    expect((await signIn(passkey.get({ challenge: await challengeOf(pda) }))).status).toBe(200);
  });

  it('works without a signature counter', async () => {
    const passkey = createPasskey();
    await addPasskey(pda, passkey);
    for (let count = 0; count < 3; count += 1)
      expect((await signIn(passkey.get({ challenge: await challengeOf(pda) }, false))).status).toBe(200);
  });

  it('signs in once for two concurrent assertions with the same counter', async () => {
    const passkey = createPasskey();
    await addPasskey(pda, passkey);
    const [firstChallenge, secondChallenge] = [await challengeOf(pda), await challengeOf(pda)];
    passkey.setCounter(5);
    const replies = await Promise.all([
      signIn(passkey.get({ challenge: firstChallenge }, false)),
      signIn(passkey.get({ challenge: secondChallenge }, false)),
    ]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 401]);
  });
});

describe('adding a passkey', () => {
  const add = async (json: unknown, token = pda.token): Promise<Reply> =>
    pda.call('POST', `${SECOND_FACTOR_PATH}/passkeys`, { token, json, headers: publicHostHeader() });

  it('requires the password, plus the second factor if there is one', async () => {
    const passkey = createPasskey();
    const requestOptions = (requestBody: unknown) =>
      pda.call('POST', `${SECOND_FACTOR_PATH}/passkey-options`, { json: requestBody, headers: publicHostHeader() });
    expect((await requestOptions(proof({ password: 'wrong' }))).status).toBe(403);
    const options = passkeyOptionsSchema.parse((await requestOptions(proof())).json);
    expect(options).toMatchObject({ rpId: 'ada.example', userName: OWNER.name, exclude: [] });
    expect((await add(passkey.create('one', options))).status).toBe(200);
    expect((await requestOptions(proof())).status).toBe(403);
    // A challenge for a sign-in cannot confirm a change.
    expect((await requestOptions(proof({ passkey: passkey.get({ challenge: await challengeOf(pda) }) }))).status).toBe(
      403,
    );
    const ownChallenge = await challengeOf(pda, { token: pda.token });
    const otherSessionChallenge = await challengeOf(pda, { token: await pda.signIn() });
    expect((await requestOptions(proof({ passkey: passkey.get({ challenge: otherSessionChallenge }) }))).status).toBe(
      403,
    );
    const reply = await requestOptions(proof({ passkey: passkey.get({ challenge: ownChallenge }) }));
    expect(passkeyOptionsSchema.parse(reply.json).exclude).toStrictEqual([passkey.id]);
  });

  it('accepts a challenge of this session once, for this address', async () => {
    const passkey = createPasskey();
    const challenge = await registrationChallengeOf(pda);
    const otherToken = await pda.signIn();
    expect((await add(passkey.create('a', { challenge }), otherToken)).status).toBe(400);
    const invalidRequests = [
      { challenge: await challengeOf(pda) },
      { challenge, origin: 'https://evil.example' },
      { challenge, rpId: 'evil.example' },
      { challenge, flags: USER_PRESENT },
      { challenge, type: 'webauthn.get' },
      { challenge, client: { crossOrigin: true } },
    ];
    for (const ceremony of invalidRequests) {
      const reply = await add(passkey.create('a', ceremony));
      expect([ceremony, reply.status, errorOf(reply).error]).toStrictEqual([ceremony, 400, 'invalid_input']);
    }
    expect((await add({ ...passkey.create('a', { challenge }), id: 'AAAA' })).status).toBe(400);
    for (const kind of ['p384', 'small rsa'] as const)
      expect((await add(createPasskey({ keys: newKeys(kind) }).create('a', { challenge }))).status).toBe(400);
    const disguisedReply = await add(
      createPasskey({ keys: newKeys('p384'), algorithm: -7 }).create('a', { challenge }),
    );
    expect([disguisedReply.status, errorOf(disguisedReply).cause]).toStrictEqual([
      400,
      expect.stringContaining('its key type is'),
    ]);
    for (const attestationObject of ['AAAA', 'oA', passkey.get({ challenge }).authenticatorData])
      expect((await add({ ...passkey.create('a', { challenge }), attestationObject })).status).toBe(400);
    expect((await readSecondFactor(pda)).on).toBe(false);
    expect((await add(passkey.create('a', { challenge }))).status).toBe(200);
    const secondReply = await add(createPasskey().create('b', { challenge }));
    expect([secondReply.status, errorOf(secondReply).error]).toStrictEqual([409, 'wrong_state']);
    pda.clock.advance(2000);
    const ownChallenge = await challengeOf(pda, { token: pda.token });
    const nextChallenge = await registrationChallengeOf(pda, { passkey: passkey.get({ challenge: ownChallenge }) });
    const duplicateReply = await add(passkey.create('a', { challenge: nextChallenge }));
    expect([duplicateReply.status, errorOf(duplicateReply).error]).toStrictEqual([400, 'already_exists']);
  });

  it('refuses attestations with certificates, and accepts self-attestation', async () => {
    const passkey = createPasskey();
    const challenge = await registrationChallengeOf(pda);
    const x5c = [new Uint8Array(8)];
    for (const fmt of ['packed', 'tpm', 'fido-u2f', 'android-key', 'android-safetynet', 'apple', 'other']) {
      const reply = await add(passkey.create('a', { challenge, attestation: { fmt, x5c } }));
      expect([fmt, reply.status, errorOf(reply).cause]).toStrictEqual([
        fmt,
        400,
        expect.stringContaining('it has an attestation, which was not requested'),
      ]);
    }
    const selfAttestedPasskey = passkey.create('a', { challenge, attestation: { fmt: 'packed' } });
    const { clientDataJSON } = passkey.create('a', { challenge, client: { more: 1 } });
    expect((await add({ ...selfAttestedPasskey, clientDataJSON })).status).toBe(400);
    expect((await add(passkey.create('a', { challenge, attestation: { fmt: 'packed' } }))).status).toBe(200);
    expect((await signIn(passkey.get({ challenge: await challengeOf(pda) }))).status).toBe(200);
  });

  it('lets the owner rename the passkey and confirm a password change with it', async () => {
    const passkey = createPasskey();
    await addPasskey(pda, passkey, 'one');
    const [storedPasskey] = (await readSecondFactor(pda)).passkeys;
    const rename = (name: string, id = storedPasskey?.passkeyId ?? '', token: string | null = pda.token) =>
      pda.call('PUT', `${SECOND_FACTOR_PATH}/passkeys/${id}`, { json: { name }, token, headers: publicHostHeader() });
    for (const name of ['', '  ', 'x'.repeat(1000)]) expect((await rename(name)).status).toBe(400);
    expect((await rename('two', undefined, null)).status).toBe(401);
    expect((await rename('two', randomUUID())).status).toBe(404);
    const renamedState = secondFactorSchema.parse((await rename(' Laptop ')).json);
    expect(renamedState.passkeys).toStrictEqual([{ ...storedPasskey, name: 'Laptop', usableHere: true }]);
    expect((await signIn(passkey.get({ challenge: await challengeOf(pda) }))).status).toBe(200);
    // A password change accepts the passkey too, with a challenge for a change in this session.
    const signInAssertion = passkey.get({ challenge: await challengeOf(pda) });
    const ownAssertion = passkey.get({ challenge: await challengeOf(pda, { token: pda.token }) });
    const changePassword = (assertion: Assertion) =>
      pda.call('POST', '/api/v2.6/owner/password', {
        json: { password: OWNER.password, newPassword: OWNER.password, passkey: assertion },
        headers: publicHostHeader(),
      });
    expect((await changePassword(signInAssertion)).status).toBe(403);
    const result = await changePassword(ownAssertion);
    expect(result.status, result.text).toBe(200);
    pda.token = String(result.headers['x-auth-token']);
  });

  it('allows several passkeys, which can be removed one by one; removing the last one turns the second factor off', async () => {
    const [firstPasskey, secondPasskey] = [createPasskey(), createPasskey()];
    await addPasskey(pda, firstPasskey, 'one');
    pda.clock.advance(2000);
    const ownChallenge = await challengeOf(pda, { token: pda.token });
    expect(
      (await addPasskey(pda, secondPasskey, 'two', { passkey: firstPasskey.get({ challenge: ownChallenge }) }))
        .recoveryCodes,
    ).toBeNull();
    const { passkeys } = await readSecondFactor(pda);
    expect(passkeys.map(({ name }) => name)).toStrictEqual(['one', 'two']);
    expect((await signIn(secondPasskey.get({ challenge: await challengeOf(pda) }))).status).toBe(200);
    const remove = async (index: number) =>
      pda.call('POST', `${SECOND_FACTOR_PATH}/passkeys/${passkeys[index]?.passkeyId}/remove`, { json: proof() });
    expect(secondFactorSchema.parse((await remove(1)).json).passkeys).toHaveLength(1);
    expect((await signIn(secondPasskey.get({ challenge: await challengeOf(pda) }))).status).toBe(401);
    expect((await remove(1)).status).toBe(404);
    expect(secondFactorSchema.parse((await remove(0)).json)).toMatchObject({ on: false, recovery: null });
    expect((await signInFrom(pda)).status).toBe(200);
  });
});
