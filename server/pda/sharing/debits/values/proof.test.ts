import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proofSchema, type Proof } from '../../../../wire/debits.ts';
import { rowsOf } from '../../access-log/recording/access-recorder.test-support.ts';
import { aBundle, aProposal, NOT_ENABLED, startDebits, store, type DebitTest } from '../harness.test-support.ts';

// `POST /owner/debits/<key>/proof`, with which the owner repeats the requester's request.

let debitTest: DebitTest;
beforeEach(async () => {
  debitTest = await startDebits();
  await store(debitTest.pda, 'a/days', { n: 1 });
});
afterEach(() => debitTest.pda.close());

const DAYS = { bundle: aBundle('days', 'a/days', { n: 'n' }) };
const prove = async (key = 'lunch'): Promise<Proof> => {
  const proof = proofSchema.parse((await debitTest.owner.call('POST', `owner/debits/${key}/proof`)).json);
  expect(proof.call).toBe(`GET /api/v2.6/data-debit/${key}/values`);
  return proof;
};
const REFUSED = {
  status: 400,
  result: 'refused',
  body: { error: 'data_debit_not_enabled', cause: 'Data Debit lunch not enabled' },
};
const SHARED_VALUES = { status: 200, result: 'shared', body: { bundle: { days: [{ data: { n: 1 } }] } } };

describe('the proof', () => {
  it('shows a refusal before the approval, the values after it, and a refusal after sharing has stopped', async () => {
    await debitTest.requester.propose('lunch', DAYS);
    expect(await prove()).toMatchObject(REFUSED);
    await debitTest.owner.enable('lunch');
    expect(await prove()).toMatchObject(SHARED_VALUES);
    await debitTest.owner.disable('lunch');
    expect(await prove()).toMatchObject(REFUSED);
    expect(await debitTest.requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
  });

  it('depends only on the consent, even if the tokens of the requester are invalid', async () => {
    await debitTest.proposeAndEnable(DAYS);
    await debitTest.owner.call('GET', 'applications/requester/disable');
    await debitTest.owner.enable('lunch');
    expect(await prove()).toMatchObject(SHARED_VALUES);
    await debitTest.owner.disable('lunch');
    expect(await prove()).toMatchObject(REFUSED);
  });

  it('depends only on the consent, even if the requesting application was never set up', async () => {
    const json = { ...aProposal('lunch', DAYS), requestApplicationId: 'never-set-up' };
    expect((await debitTest.owner.call('POST', 'data-debit/lunch', json)).status).toBe(201);
    await debitTest.owner.enable('lunch');
    expect(await prove()).toMatchObject(SHARED_VALUES);
    await debitTest.owner.disable('lunch');
    expect(await prove()).toMatchObject(REFUSED);
  });

  it('repeats the request of a requester that is not an application', async () => {
    await debitTest.owner.propose('lunch', DAYS);
    await debitTest.owner.enable('lunch');
    expect(await prove()).toMatchObject(SHARED_VALUES);
    await debitTest.owner.disable('lunch');
    expect(await prove()).toMatchObject(REFUSED);
  });

  it('is logged as a check by the owner, not as an access by the requester', async () => {
    await debitTest.proposeAndEnable(DAYS);
    await prove();
    await debitTest.owner.disable('lunch');
    await prove();
    const rows = await rowsOf(debitTest.pda, 'debit=lunch');
    const consent = { kind: 'debit', name: 'lunch', detail: '' };
    const check = {
      who: { kind: 'owner', name: '' },
      outcome: 'allowed',
      status: 200,
      consent,
      records: 0,
      endpoints: [],
    };
    expect(rows.filter(({ action }) => action.startsWith('debit-check'))).toMatchObject([
      { ...check, action: 'debit-check-refused' },
      { ...check, action: 'debit-check-shared' },
    ]);
    expect(await debitTest.owner.findAsOwner('lunch')).toMatchObject({
      reads: 0,
      refused: 0,
      lastRead: null,
      recordsShared: 0,
    });
    // The owner's decisions, and the two checks.
    expect(rows.map(({ who }) => who.kind)).toStrictEqual(['owner', 'owner', 'owner', 'owner']);
  });

  it('is available only to the owner, and gives no anonymous access to the values', async () => {
    await debitTest.proposeAndEnable(DAYS);
    await prove();
    expect(await debitTest.requester.expectRefusal('POST', 'owner/debits/lunch/proof')).toStrictEqual([
      403,
      'forbidden',
    ]);
    expect((await debitTest.owner.call('POST', 'owner/debits/unknown/proof')).status).toBe(404);
    expect((await debitTest.pda.call('GET', '/api/v2.6/data-debit/lunch/values', { token: null })).status).toBe(401);
  });
});
