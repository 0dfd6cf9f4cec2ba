import { CompactSign } from 'jose';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../../../platform/failure.ts';
import { receiptSchema } from '../../../../wire/debits.ts';
import { startDebits, type DebitTest } from '../harness.test-support.ts';
import { parsePublicKeys, thumbprintOf, verifyReceipt, type ExpectedKey } from './verification.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

let debitTest: DebitTest;
let file: string;
let jws: string;
let thumbprint: string;
let key: KeyObject;
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });

beforeAll(async () => {
  debitTest = await startDebits();
  await debitTest.proposeAndEnable();
  await debitTest.owner.disable('lunch');
  const { json } = await debitTest.owner.call('GET', 'owner/debits/lunch/receipt');
  ({ jws, thumbprint } = receiptSchema.parse(json));
  file = JSON.stringify(json, null, 2);
  [key = otherKeys.publicKey] = parsePublicKeys((await debitTest.pda.call('GET', '/publickey')).text);
});
afterAll(() => debitTest.pda.close());

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const reasonOf = async (text: string, expected?: ExpectedKey): Promise<string> => {
  const error: unknown = await verifyReceipt(text, expected).catch((caught: unknown) => caught);
  if (!(error instanceof Failure)) throw new Error('the receipt was accepted', { cause: error });
  return error.reason;
};

const receiptPayload = (): Buffer => Buffer.from(jws.split('.')[1] ?? '', 'base64url');

const sign = (
  privateKey: KeyObject,
  header: Record<string, unknown> = {},
  payload = receiptPayload(),
): Promise<string> =>
  new CompactSign(payload)
    .setProtectedHeader({ alg: 'RS256', kid: 'k', typ: 'data-debit-receipt+jws', ...header })
    .sign(privateKey);
const toPublicJwk = (publicKey: KeyObject) => publicKey.export({ format: 'jwk' });

describe('a receipt with its key', () => {
  it('is valid as the downloaded file and as the JWS alone, without a pinned key', async () => {
    for (const text of [file, jws, `${jws}\n`]) {
      const verification = await verifyReceipt(text);
      expect(verification).toMatchObject({ thumbprint, pinned: false });
      expect(verification.content).toMatchObject({
        dataDebitKey: 'lunch',
        state: 'disabled',
        requester: { kind: 'application', name: 'requester' },
        permissions: [{ requestClientName: 'Lunch Ltd', state: 'disabled', accepted: true }],
      });
    }
  });

  it('is valid for the key of the PDA as a thumbprint, PEM, JWK or JWK Set', async () => {
    const jwks = (await debitTest.pda.call('GET', '/.well-known/jwks.json')).text;
    expect(await thumbprintOf(key)).toBe(thumbprint);
    for (const expected of [
      { thumbprint },
      { keys: [key] },
      { keys: parsePublicKeys(JSON.stringify(toPublicJwk(key))) },
      { keys: parsePublicKeys(jwks) },
      { keys: [otherKeys.publicKey, key] },
    ])
      expect(await verifyReceipt(file, expected)).toMatchObject({ thumbprint, pinned: true });
  });

  it('is invalid if a different key is expected', async () => {
    const reason = /contains the key .+ was expected/u;
    expect(await reasonOf(file, { thumbprint: await thumbprintOf(otherKeys.publicKey) })).toMatch(reason);
    expect(await reasonOf(file, { keys: [otherKeys.publicKey] })).toMatch(reason);
  });

  it.skipIf(!IS_THOROUGH_RUN)('is invalid when any character of the JWS is replaced', async () => {
    for (let index = 0; index < jws.length; index += 1) {
      // Changes the lowest bit. In a part's last character, it can be padding that a lenient decoder ignores.
      const neighbour = BASE64URL[BASE64URL.indexOf(jws[index] ?? '') ^ 1] ?? 'A';
      const changedJws = `${jws.slice(0, index)}${neighbour}${jws.slice(index + 1)}`;
      expect(await reasonOf(changedJws), `character ${index}`).toMatch(/^Invalid receipt: /u);
    }
  });

  it('is invalid when the readable copy or the thumbprint beside the JWS was changed', async () => {
    expect(await reasonOf(file.replace('Lunch Ltd', 'Lunch Inc'))).toMatch(/"receipt" in the file was changed/u);
    expect(await reasonOf(file.replace(thumbprint, await thumbprintOf(otherKeys.publicKey)))).toMatch(
      /"thumbprint" in the file was changed/u,
    );
  });

  it('is valid by itself, but not for the pinned key, if a forger signed it with a different key', async () => {
    const forgedReceipt = await sign(otherKeys.privateKey, { jwk: toPublicJwk(otherKeys.publicKey) });
    expect(await verifyReceipt(forgedReceipt)).toMatchObject({ pinned: false });
    expect(await reasonOf(forgedReceipt, { thumbprint })).toMatch(/contains the key .+ was expected/u);
    expect(await reasonOf(forgedReceipt, { keys: [key] })).toMatch(/contains the key .+ was expected/u);
    const signedWithWrongKey = await sign(otherKeys.privateKey, { jwk: toPublicJwk(key) });
    expect(await reasonOf(signedWithWrongKey, { thumbprint })).toMatch(/signature is wrong/u);
  });
});

describe('a receipt of an older version, without a key', () => {
  it('is verified with the keys of a file', async () => {
    const oldReceipt = await sign(otherKeys.privateKey);
    expect(await verifyReceipt(oldReceipt, { keys: [key, otherKeys.publicKey] })).toMatchObject({
      pinned: true,
      thumbprint: await thumbprintOf(otherKeys.publicKey),
    });
    expect(await reasonOf(oldReceipt, { keys: [key] })).toMatch(/signature is wrong/u);
  });

  it('is rejected if no key file is given', async () => {
    const oldReceipt = await sign(otherKeys.privateKey);
    expect(await reasonOf(oldReceipt)).toMatch(/carries no key/u);
    expect(await reasonOf(oldReceipt, { thumbprint })).toMatch(/carries no key/u);
  });
});

describe('a malformed receipt', () => {
  const weakKeys = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const jwk = toPublicJwk(otherKeys.publicKey);
  it.each<[string, () => string | Promise<string>]>([
    ['an empty text', () => ''],
    ['a text that is not JSON', () => '{'],
    ['JSON without a JWS', () => '{}'],
    ['two parts', () => jws.split('.').slice(0, 2).join('.')],
    ['four parts', () => `${jws}.AAAA`],
    ['a header that is not JSON', () => `AAAA.${jws.split('.').slice(1).join('.')}`],
    ['a different type of JWS', () => sign(otherKeys.privateKey, { jwk, typ: 'JWT' })],
    ['an unknown critical header', () => sign(otherKeys.privateKey, { jwk }).then((text) => withCriticalHeader(text))],
    ['a key that is too short', () => withHeader(jws, { jwk: toPublicJwk(weakKeys.publicKey) })],
    ['a key that is not an RSA key', () => withHeader(jws, { jwk: { kty: 'oct', k: 'AAAA' } })],
    ['a different algorithm', () => withHeader(jws, { alg: 'none', jwk })],
    ['a payload that is not JSON', () => sign(otherKeys.privateKey, { jwk }, Buffer.from('{'))],
    ['a payload that is not a receipt', () => sign(otherKeys.privateKey, { jwk }, Buffer.from('{"type":"other"}'))],
  ])('is refused: %s', async (_, text) => {
    expect(await reasonOf(await text())).toMatch(/^Invalid receipt: malformed: /u);
  });
});

const withHeader = (text: string, header: Record<string, unknown>): string => {
  const content = { alg: 'RS256', kid: 'k', typ: 'data-debit-receipt+jws', ...header };
  return [Buffer.from(JSON.stringify(content)).toString('base64url'), ...text.split('.').slice(1)].join('.');
};
const withCriticalHeader = (text: string): string =>
  withHeader(text, { jwk: toPublicJwk(otherKeys.publicKey), crit: ['unknown'], unknown: true });

describe('parsePublicKeys', () => {
  it('returns no keys for a file without RSA public keys', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const texts = [
      '',
      '{}',
      '[]',
      'null',
      '{"keys":[]}',
      '-----BEGIN PUBLIC KEY-----',
      JSON.stringify(toPublicJwk(ec)),
    ];
    for (const text of [...texts, ec.export({ type: 'spki', format: 'pem' }).toString()])
      expect(parsePublicKeys(text), text).toStrictEqual([]);
  });
});
