import { createHash, generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../../../tests/support/test-pda.ts';
import { createContractTokens } from './tokens.ts';

const SERVICE = 'https://contracts.example.org';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });

const setUp = () => {
  const clock = createTestClock();
  let isWithdrawn = false;
  const hooks = { afterFind: () => {} };
  const keys = {
    find: (_service: string, kid: string) => {
      const key = kid === 'k' && !isWithdrawn ? publicKey : undefined;
      hooks.afterFind();
      return Promise.resolve(key);
    },
  };
  const tokens = createContractTokens({
    keys: keys as unknown as Parameters<typeof createContractTokens>[0]['keys'],
    contractsUrl: () => SERVICE,
    clock,
  });
  const seconds = Math.floor(clock.now() / 1000);
  const verify = async (times: { iat: number; exp: number }, key = privateKey) => {
    const claims = { iss: SERVICE, sub: '019bc186-de00-7000-8937-015a1f841fa9', namespaces: [], jti: 'j', ...times };
    const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'k' })
      .sign(key);
    const tokenHash = createHash('sha256').update(token).digest('hex');
    return tokens.verify({ tokenHash, token: () => token });
  };
  const withdrawKey = () => {
    isWithdrawn = true;
    tokens.clearCache();
  };
  return { clock, seconds, verify, hooks, withdrawKey };
};

describe('a short-lived token of the contracts service', () => {
  it('is valid from its issue until its expiry', async () => {
    const { clock, seconds, verify } = setUp();
    const times = { iat: seconds, exp: seconds + 60 };
    expect(await verify(times)).toMatchObject({ isOutsideValidity: false });
    clock.advance(59_999);
    expect(await verify(times)).toMatchObject({ isOutsideValidity: false });
    clock.advance(1);
    expect(await verify(times)).toMatchObject({ isOutsideValidity: true });
  });

  it('is not yet valid if its issue time is more than five minutes in the future', async () => {
    const { seconds, verify } = setUp();
    const exp = seconds + 3600;
    expect(await verify({ iat: seconds + 300, exp })).toMatchObject({ isOutsideValidity: false });
    expect(await verify({ iat: seconds + 301, exp })).toMatchObject({ isOutsideValidity: true });
  });

  it('is refused after its key was withdrawn, even if that happened during its verification', async () => {
    const { seconds, verify, hooks, withdrawKey } = setUp();
    const times = { iat: seconds, exp: seconds + 60 };
    hooks.afterFind = withdrawKey;
    expect(await verify(times)).toMatchObject({ isOutsideValidity: false });
    expect(await verify(times)).toBeUndefined();
  });

  it('is refused if it was signed with a different key', async () => {
    const { seconds, verify } = setUp();
    expect(await verify({ iat: seconds, exp: seconds + 60 }, otherKeys.privateKey)).toBeUndefined();
  });
});
