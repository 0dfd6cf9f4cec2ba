import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anApplication } from '../../../../../tests/support/applications.ts';
import type { Reply } from '../../../../../tests/support/http.ts';
import { errorOf, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { DEBIT_KEY_REQUESTS_MAX_BYTES, APPLICATION_REQUESTS_MAX_BYTES } from '../../../../wire/work-limits.ts';
import { refuseTooManyChanges, refuseTooManyRequests } from './proposal-limits.ts';
import { aBundle, aProposal, REQUESTER, startDebits, type DebitCalls } from '../harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const SHOP = anApplication({ id: 'shop', data: ['shop/things'] });

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
beforeEach(async () => {
  ({ pda, owner, requester } = await startDebits([REQUESTER, SHOP], { strict: false }));
});
afterEach(() => pda.close());

describe('limits of requests by an application', () => {
  it('allow at most 50 pending requests, and another one after a decision', async () => {
    for (let index = 0; index < 50; index += 1) await requester.propose(`key-${index}`);
    const expectedRefusal = [429, 'rate_limited'];
    expect(await requester.expectRefusal('POST', 'data-debit/more', aProposal('more'))).toStrictEqual(expectedRefusal);
    await owner.propose('of-the-owner');
    await owner.reject('key-0');
    await requester.propose('more');
    expect(await requester.expectRefusal('POST', 'data-debit/another', aProposal('another'))).toStrictEqual(
      expectedRefusal,
    );
  });

  it.skipIf(!IS_THOROUGH_RUN)('allow at most 100 requests per key', async () => {
    await requester.propose('lunch');
    for (let count = 1; count < 100; count += 1) await requester.update('lunch');
    expect(await requester.expectRefusal('PUT', 'data-debit/lunch', aProposal('lunch'))).toStrictEqual([
      429,
      'rate_limited',
    ]);
    expect((await owner.update('lunch')).permissions).toHaveLength(101);
  });

  it('allow at most 100,000 characters per request', async () => {
    const value = 'x'.repeat(100_000);
    const filters = [{ field: 'name', operator: { operator: 'in' as const, value } }];
    const longBundle = { name: 'long', bundle: { all: { endpoints: [{ endpoint: 'a/b', filters }] } } };
    const expectedRefusal = [413, 'too_large'];
    expect(
      await requester.expectRefusal('POST', 'data-debit/lunch', aProposal('lunch', { bundle: longBundle })),
    ).toStrictEqual(expectedRefusal);
    await requester.propose('lunch');
    expect(
      await requester.expectRefusal('PUT', 'data-debit/lunch', aProposal('lunch', { bundle: longBundle })),
    ).toStrictEqual(expectedRefusal);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'refuse requests above a total of 1 MB per key, or 10 MB per application, not counting removed Data Debits',
    async () => {
      // Each character has three bytes.
      const value = '\u20ac'.repeat(98_000);
      const filters = [{ field: 'name', operator: { operator: 'in' as const, value } }];
      const largeRequestFor = (key: string) => ({
        bundle: { name: `${key}-bundle`, bundle: { all: { endpoints: [{ endpoint: 'a/b', filters }] } } },
      });
      const bytesPerRequest = 3 * value.length;
      /** Sends requests until one is refused, and returns the number of accepted requests. */
      const countAccepted = async (send: (index: number) => Promise<Reply>): Promise<number> => {
        for (let count = 0; ; count += 1) {
          const reply = await send(count);
          if (reply.status < 400) continue;
          expect([reply.status, errorOf(reply).error]).toStrictEqual([413, 'too_large']);
          return count;
        }
      };
      await requester.propose('lunch', largeRequestFor('lunch'));
      const change = () => requester.call('PUT', 'data-debit/lunch', aProposal('lunch', largeRequestFor('lunch')));
      const requestsPerKey = 1 + (await countAccepted(change));
      expect(requestsPerKey).toBe(Math.ceil(DEBIT_KEY_REQUESTS_MAX_BYTES / bytesPerRequest));
      const otherRequests = await countAccepted((index) =>
        requester.call('POST', `data-debit/key-${index}`, aProposal(`key-${index}`, largeRequestFor(`key-${index}`))),
      );
      const total = (requestsPerKey + otherRequests) * bytesPerRequest;
      expect(Math.abs(total - APPLICATION_REQUESTS_MAX_BYTES)).toBeLessThan(2 * bytesPerRequest);
      expect(await requester.expectRefusal('PUT', 'data-debit/key-0', aProposal('key-0'))).toStrictEqual([
        413,
        'too_large',
      ]);
      await owner.propose('of-the-owner');
      expect((await owner.update('lunch')).permissions).toHaveLength(requestsPerKey + 1);
      const page = await requester.call('GET', 'data-debit?take=2');
      expect(page.json).toMatchObject([
        { dataDebitKey: `key-${otherRequests - 1}` },
        { dataDebitKey: `key-${otherRequests - 2}` },
      ]);
      await owner.remove('lunch');
      await requester.update('key-0');
      await requester.propose('more');
    },
  );

  it('do not let a pending request reserve a bundle name against other requesters', async () => {
    await requester.propose('lunch', { bundle: aBundle('shop-data', 'a/b') });
    await owner.propose('dinner', { bundle: aBundle('shop-data', 'a/b') });
    expect((await owner.call('GET', 'applications/shop/setup')).status).toBe(200);
    const alreadyExists = [400, 'already_exists'];
    expect(await owner.expectRefusal('GET', 'data-debit/lunch/enable')).toStrictEqual(alreadyExists);
    expect((await owner.find('lunch')).state).toBe('pending');
    expect(await owner.expectRefusal('GET', 'data-debit/dinner/enable')).toStrictEqual(alreadyExists);
    const { permissionId } = (await owner.find('lunch')).permissionsLatest;
    expect(await owner.expectRefusal('POST', 'owner/debits/lunch/grant', { permissionId })).toStrictEqual(
      alreadyExists,
    );
    await requester.update('lunch');
    expect((await owner.call('GET', 'owner/debits/lunch')).status).toBe(200);
    expect((await owner.enable('lunch')).active).toBe(true);
  });

  it('do not allow the bundle name phata, which is reserved for the owner', async () => {
    const bundle = aBundle('phata', 'a/b');
    const expectedRefusal = [400, 'invalid_input'];
    expect(await requester.expectRefusal('POST', 'data-debit/lunch', aProposal('lunch', { bundle }))).toStrictEqual(
      expectedRefusal,
    );
    expect(
      await owner.expectRefusal('POST', 'data-debit/lunch', aProposal('lunch', { conditions: bundle })),
    ).toStrictEqual(expectedRefusal);
    await requester.propose('lunch');
    expect(await requester.expectRefusal('PUT', 'data-debit/lunch', aProposal('lunch', { bundle }))).toStrictEqual(
      expectedRefusal,
    );
    expect((await owner.call('POST', 'data-bundle/phata', bundle.bundle)).status).toBe(200);
  });
});

describe('the byte limit of an application', () => {
  const store = {
    pendingCount: () => 0,
    requestedBytes: () => APPLICATION_REQUESTS_MAX_BYTES,
    requestedBytesOf: () => 0,
  };
  const debit = { id: 1, permissions: [] };

  it('applies to applications, but not to Offers, because Offers of one requester would block each other', () => {
    expect(() => refuseTooManyRequests(store, { kind: 'application', name: 'shop' })).toThrow(
      /Requests under Data Debits that the owner removes no longer count\.$/u,
    );
    expect(() => refuseTooManyChanges(store, debit, 'shop')).toThrow(/the limit is/u);
    refuseTooManyRequests(store, { kind: 'offer', name: 'exchange' });
    refuseTooManyChanges(store, debit, undefined);
  });
});
