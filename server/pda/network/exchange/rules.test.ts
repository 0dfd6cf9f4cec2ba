import { describe, expect, it } from 'vitest';
import {
  claimState,
  toExchange,
  hasClaimEnded,
  isKeyOf,
  createClaimProposal,
  registrationStateOf,
  retryDelayMs,
} from './rules.ts';
import { anOffer } from './fake-exchange.test-support.ts';

describe('the state of the registration', () => {
  const facts = { participatesInExchange: true, address: 'ada.example', current: undefined, isKnown: false };
  it.each([
    [{}, 'registering'],
    [{ current: { since: null, problem: 'no' } }, 'failed'],
    [{ current: { since: 5, problem: null } }, 'registered'],
    // A failed refresh does not end the registration.
    [{ current: { since: 5, problem: 'no' } }, 'registered'],
    [{ address: undefined }, 'failed'],
    [{ participatesInExchange: false }, 'none'],
    [{ participatesInExchange: false, isKnown: true }, 'leaving'],
  ])('is derived from %o: %s', (change, state) => {
    expect(registrationStateOf({ ...facts, ...change })).toBe(state);
  });
});

describe('the retry delay', () => {
  it('doubles with each failure, up to six hours, and has jitter', () => {
    expect([1, 2, 3].map((attempts) => retryDelayMs(attempts, 1) / 60_000)).toEqual([1, 2, 4]);
    expect(retryDelayMs(1000, 1)).toBe(6 * 3_600_000);
    expect(retryDelayMs(3, 0)).toBeLessThan(retryDelayMs(3, 1));
    expect(Number.isInteger(retryDelayMs(3, 0.123))).toBe(true);
  });
});

describe('the address of a service', () => {
  it('is normalized', () => {
    expect(toExchange('https://X.example/sub/?a#b')).toEqual({ url: 'https://x.example/sub', host: 'x.example' });
    expect(toExchange('http://localhost:3000')).toEqual({ url: 'http://localhost:3000', host: 'localhost:3000' });
  });
});

describe('a claim', () => {
  it('has a key that contains the id of its Offer and ends with a random suffix', () => {
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
    // A disabled Data Debit can be enabled again.
    ['disabled', 'ended', false],
    ['ended', 'ended', true],
    ['rejected', 'rejected', true],
    ['removed', 'ended', true],
  ] as const)('whose Data Debit is %s has the state %s', (debit, state, isEnded) => {
    expect([claimState(debit), hasClaimEnded(debit)]).toEqual([state, isEnded]);
  });

  const propose = (offer: Parameters<typeof anOffer>[0], isFree: (name: string) => boolean = () => true) =>
    createClaimProposal({ offer: anOffer(offer), key: 'offer-steps-x', exchange: 'https://x.example' }, 7, isFree);

  it('has a proposal that starts now and lasts for a whole number of seconds, at least one', () => {
    expect(propose({ collectionDuration: 1 })).toMatchObject({ start: 7, period: 1, cancelAtPeriodEnd: true });
    expect(propose({ collectionDuration: 60_001 }).period).toBe(61);
  });

  it('has a proposal in which spaces replace the control characters of the texts', () => {
    const proposal = propose({ title: 'Steps\u202E', description: 'One\u2066\nTwo', providerName: 'Ac\u200Fme' });
    expect(proposal).toMatchObject({ requestDescription: 'Steps', purpose: 'One \nTwo' });
    expect(proposal.requestClientName).toMatch(/^Ac me/u);
  });

  it('has a proposal with the first free bundle name: the requested one, the login of the Offer, or the key', () => {
    expect(propose({}).bundle.name).toBe('steps');
    expect(propose({}, (name) => name !== 'steps').bundle.name).toBe('offer-steps');
    expect(propose({}, () => false).bundle.name).toBe('offer-steps-x');
    const stepsBundle = { name: 'steps', bundle: {} };
    expect(propose({ dataConditions: stepsBundle }).conditions?.name).toBe('offer-steps-conditions');
    expect(propose({ requiredData: { name: 'a/structure', bundle: {} } }).bundle.name).toBe('offer-steps');
  });

  it('has a proposal with the addresses in the Offer, and the address of the exchange in place of missing ones', () => {
    expect(propose({ termsUrl: 'https://t.example/', logoUrl: 'https://l.example/' })).toMatchObject({
      termsUrl: 'https://t.example/',
      requestClientUrl: 'https://x.example',
      requestClientLogoUrl: 'https://l.example/',
    });
  });
});
