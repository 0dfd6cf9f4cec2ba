import { describe, expect, it } from 'vitest';
import { claimState, exchangeAt, isKeyOf, isOver, proposalOf, retryAfter, stateOf } from './rules.ts';
import { anOffer } from './fake-exchange.test-support.ts';

describe('where a PDA stands', () => {
  const standing = { takesPart: true, address: 'ada.example', here: undefined, known: false };
  it.each([
    [{}, 'registering'],
    [{ here: { since: null, problem: 'no' } }, 'failed'],
    [{ here: { since: 5, problem: null } }, 'registered'],
    // A refresh that failed takes nothing away.
    [{ here: { since: 5, problem: 'no' } }, 'registered'],
    [{ address: undefined }, 'failed'],
    [{ takesPart: false }, 'none'],
    [{ takesPart: false, known: true }, 'leaving'],
  ])('%j is %s', (changed, state) => {
    expect(stateOf({ ...standing, ...changed })).toBe(state);
  });
});

describe('a try that failed', () => {
  it('comes back later each time, never at one moment with others, and within eight hours', () => {
    expect([1, 2, 3].map((attempts) => retryAfter(attempts, 1) / 60_000)).toEqual([1, 2, 4]);
    expect(retryAfter(1000, 1)).toBeLessThan(8 * 3_600_000);
    expect(retryAfter(3, 0)).toBeLessThan(retryAfter(3, 1));
    expect(Number.isInteger(retryAfter(3, 0.123))).toBe(true);
  });
});

describe('an address of a service', () => {
  it('has one spelling', () => {
    expect(exchangeAt('https://X.example/sub/?a#b')).toEqual({ url: 'https://x.example/sub', host: 'x.example' });
    expect(exchangeAt('http://localhost:3000')).toEqual({ url: 'http://localhost:3000', host: 'localhost:3000' });
  });
});

describe('a claim', () => {
  it('has a key of its own kind', () => {
    expect(isKeyOf('steps', 'offer-steps-Ab3_-cdefghi')).toBe(true);
    expect(isKeyOf('a-b', 'offer-a-b-Ab3_-cdefghi')).toBe(true);
    for (const key of [
      'offer-steps',
      'offer-steps-',
      'app-steps-Ab3_-cdefghi',
      'offer-step-Ab3_-cdefghi',
      'offer-steps-Ab3_/enable0',
      'offer-steps-b-Ab3_-cdefghi',
      'offer-steps-b-x',
    ])
      expect(isKeyOf('steps', key), key).toBe(false);
  });

  it.each([
    [undefined, 'waiting', true],
    ['pending', 'waiting', false],
    ['enabled', 'sharing', false],
    // What was only stopped can begin again.
    ['disabled', 'ended', false],
    ['ended', 'ended', true],
    ['rejected', 'rejected', true],
    ['removed', 'ended', true],
  ] as const)('of a Data Debit that is %s is %s', (debit, state, over) => {
    expect([claimState(debit), isOver(debit)]).toEqual([state, over]);
  });

  const ask = (offer: Parameters<typeof anOffer>[0], isFree: (name: string) => boolean = () => true) =>
    proposalOf({ offer: anOffer(offer), key: 'offer-steps-x', exchange: 'https://x.example' }, 7, isFree);

  it('asks from now on, for whole seconds and at least one', () => {
    expect(ask({ collectionDuration: 1 })).toMatchObject({ start: 7, period: 1, cancelAtPeriodEnd: true });
    expect(ask({ collectionDuration: 60_001 }).period).toBe(61);
  });

  it('has no control characters, whatever the exchange lists', () => {
    const found = ask({ title: 'Steps\u202E', description: 'One\u2066\nTwo', providerName: 'Ac\u200Fme' });
    expect(found).toMatchObject({ requestDescription: 'Steps', purpose: 'One \nTwo' });
    expect(found.requestClientName).toMatch(/^Ac me/u);
  });

  it('takes names that are free: its own, the Offer’s, the key’s', () => {
    expect(ask({}).bundle.name).toBe('steps');
    expect(ask({}, (name) => name !== 'steps').bundle.name).toBe('offer-steps');
    expect(ask({}, () => false).bundle.name).toBe('offer-steps-x');
    const same = { name: 'steps', bundle: {} };
    expect(ask({ dataConditions: same }).conditions?.name).toBe('offer-steps-conditions');
    expect(ask({ requiredData: { name: 'a/structure', bundle: {} } }).bundle.name).toBe('offer-steps');
  });

  it('names the Offer’s addresses where it has them, else the exchange’s', () => {
    expect(ask({ termsUrl: 'https://t.example/', logoUrl: 'https://l.example/' })).toMatchObject({
      termsUrl: 'https://t.example/',
      requestClientUrl: 'https://x.example',
      requestClientLogoUrl: 'https://l.example/',
    });
  });
});
