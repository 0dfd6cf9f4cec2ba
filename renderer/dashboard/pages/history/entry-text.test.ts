import { describe, expect, it } from 'vitest';
import type { LedgerRow } from '../../../shared/api/contract.ts';
import { dayNear } from '../../../shared/format/format.ts';
import { entrySentence } from './entry-text.ts';
import type { EntryNames } from './reader-text.ts';

const row = (changes: Partial<LedgerRow>): LedgerRow => ({
  id: 1,
  time: '2026-03-04T12:00:00.000Z',
  who: { kind: 'application', name: 'acme' },
  action: 'GET /api/v2.6/data/:namespace/*endpoint',
  outcome: 'allowed',
  status: 200,
  reason: null,
  consent: null,
  endpoints: ['fitness/steps'],
  files: [],
  records: 40,
  fields: null,
  bytes: 1000,
  address: '203.0.113.7',
  count: 1,
  last: null,
  ...changes,
});

const CONSENT_TIME = new Date(Date.now() - 10 * 86_400_000).toISOString();
const CONSENT_DAY = dayNear(CONSENT_TIME);

const names: EntryNames = {
  endpointName: (endpoint) => (endpoint === 'fitness/steps' ? 'Daily steps' : endpoint),
  contractName: (id) => (id === 'walking-study' ? 'Walk Study' : id),
  functionName: (id) => id,
  applicationName: (id) => (id === 'acme' ? 'Acme' : id),
  consentName: ({ name }) => name,
  consentTime: () => CONSENT_TIME,
  consentChange: () => undefined,
};
const textOf = (changes: Partial<LedgerRow>, entryNames: EntryNames = names) =>
  entrySentence(row(changes), entryNames).text.replaceAll(/[\u202F\u00A0]/g, ' ');

const VALUES = 'GET /api/v2.6/data-debit/*key/values';
const debit = { kind: 'debit' as const, name: 'dd-1', detail: 'p1' };
const refusal = { outcome: 'refused' as const, status: 403, reason: 'forbidden', records: 0 };

describe('access history sentence', () => {
  it('names files and the recipient of a shared file', () => {
    const file = (name: string) => ({ fileId: name, name });
    const guest = { kind: 'user' as const, name: 'u-1', person: 'grace' };
    const download = { action: 'GET /storage/:fileId', endpoints: ['files:documents'], who: guest };
    expect(textOf({ ...download, records: 1, files: [file('passport.pdf')] })).toBe(
      'A guest, grace, downloaded passport.pdf',
    );
    const files = ['a.png', 'b.png', 'c.png', 'd.png'].map(file);
    expect(textOf({ ...download, records: 9, files })).toBe('A guest, grace, downloaded a.png, b.png, c.png and more');
    const owner = {
      who: { kind: 'owner' as const, name: '' },
      endpoints: ['files:photos'],
      files: [file('hills.png')],
    };
    expect(textOf({ ...owner, action: 'GET /api/v2.6/files/allowAccessPublic/:fileId' })).toBe(
      'You made hills.png public',
    );
    expect(
      textOf({
        ...owner,
        action: 'GET /api/v2.6/files/allowAccess/:fileId/:userId',
        consent: { kind: 'user', name: 'u-1', detail: 'Grace' },
      }),
    ).toBe('You shared hills.png with Grace');
  });

  it('names the contract that read data or that the owner left', () => {
    const consent = { kind: 'contract' as const, name: 'walking-study', detail: '' };
    expect(textOf({ who: { kind: 'contract', name: 'walking-study' }, consent, fields: [], records: 42 })).toBe(
      'Walk Study read 42 records of Daily steps, 0 fields, under contract walking-study',
    );
    const decision = { who: { kind: 'owner' as const, name: '' }, endpoints: [], records: 0 };
    const action = 'POST /api/v2.6/owner/contracts/:contractId/leave';
    expect(textOf({ ...decision, action, consent: { ...consent, detail: 'Walk Study' } })).toBe(
      'You left the contract Walk Study',
    );
  });

  it('contains no UUID', () => {
    const id = '019bc186-de00-700c-b956-8148866d9b1b';
    const owner = { who: { kind: 'owner' as const, name: '' }, endpoints: [], records: 0 };
    const consent = { kind: 'debit' as const, name: id, detail: id };
    const texts = [
      textOf({ ...owner, action: 'GET /api/v2.6/data-debit/*key/disable', consent }),
      textOf({ ...owner, action: 'debit-check-refused', consent }),
      textOf({ who: { kind: 'contract', name: id }, consent: { kind: 'contract', name: id, detail: '' } }),
      textOf({ who: { kind: 'offer', name: id } }),
      textOf({ who: { kind: 'function', name: id }, consent: { kind: 'function', name: id, detail: '' } }),
      textOf({ who: { kind: 'application', name: id } }),
    ];
    for (const text of texts) expect(text).not.toContain(id);
    expect(texts[0]).toBe('You stopped sharing with a former recipient');
  });

  it('states the number of similar requests, or a minimum if not all entries are loaded', () => {
    const summedRow = row({ records: 480, count: 12, fields: ['a'] });
    const text = (isPartial: boolean) =>
      entrySentence(summedRow, names, { count: 12, isPartial }).text.replaceAll(/[\u202F\u00A0]/g, ' ');
    expect(text(false)).toBe('Acme read 480 records of Daily steps, 12 times, 1 field');
    expect(text(true)).toBe('Acme read 480 records of Daily steps, at least 12 times, 1 field');
  });

  it('names the source of a downloaded file', () => {
    const download = { action: 'GET /storage/:fileId', endpoints: ['files:photos'], records: 1 };
    expect(textOf({ ...download, who: { kind: 'visitor', name: '' } })).toBe(
      'An anonymous visitor downloaded a file from photos',
    );
    expect(textOf(download)).toBe('Acme downloaded a file from photos');
  });

  it('names decisions made in a notification, and their request', () => {
    const decision = { who: { kind: 'owner' as const, name: '' }, endpoints: [], records: 0, consent: debit };
    expect(textOf({ ...decision, action: 'debit-deny-notification' })).toBe(
      'You declined a request in a notification, dd-1',
    );
    expect(textOf({ ...decision, action: 'debit-approve-notification' })).toBe(
      'You allowed a request in a notification, dd-1',
    );
  });

  it('names owner decisions with the requester or the source of the file', () => {
    const decision = { who: { kind: 'owner' as const, name: '' }, endpoints: [], records: 0 };
    const consentName = () => 'Lunch Ltd';
    expect(
      textOf(
        { ...decision, action: 'POST /api/v2.6/owner/debits/*key/change', consent: debit },
        { ...names, consentName },
      ),
    ).toBe('You changed what Lunch Ltd can see');
    const changeRow = row({ ...decision, action: 'POST /api/v2.6/owner/debits/*key/change', consent: debit });
    const withChange = { ...names, consentName, consentChange: () => 'narrowed' as const };
    expect(entrySentence(changeRow, withChange).text).toBe('You reduced what Lunch Ltd can see');
    // A sentence about several changes does not say that they are reductions.
    expect(entrySentence(changeRow, withChange, { count: 2, isPartial: false }).text).toMatch(/^You changed what/u);
    expect(
      textOf({ ...decision, action: 'GET /api/v2.6/files/allowAccessPublic/:fileId', endpoints: ['files:photos'] }),
    ).toBe('You made a file from photos public');
    expect(textOf({ ...decision, action: 'PUT /users/user/:userId/delete' })).toBe(
      'You removed a guest from your guests',
    );
  });

  it('states reader, number of records, endpoint and consent', () => {
    expect(textOf({ action: VALUES, fields: ['a', 'b', 'c'], consent: debit })).toBe(
      `Acme read 40 records of Daily steps, 3 fields, under your consent of ${CONSENT_DAY}`,
    );
  });

  it('states explicitly that entire records were read', () => {
    expect(textOf({ consent: { kind: 'application', name: 'acme', detail: '1.0.0' } })).toBe(
      `Acme read 40 records of Daily steps, entire records, under your consent of ${CONSENT_DAY}`,
    );
  });

  it('names up to three endpoints, or two and the number of further endpoints', () => {
    const readText = (...endpoints: string[]) => textOf({ endpoints }).split(',').slice(0, -1).join(',');
    expect(readText('a/1', 'a/2')).toBe('Acme read 40 records of a/1 and a/2');
    expect(readText('a/1', 'a/2', 'a/3')).toBe('Acme read 40 records of a/1, a/2 and a/3');
    expect(readText('a/1', 'a/2', 'a/3', 'a/4')).toBe('Acme read 40 records of a/1, a/2 and 2 more endpoints');
  });

  it('does not describe an empty response as records read', () => {
    expect(textOf({ records: 0 })).toBe('Acme read Daily steps and got no records');
    expect(textOf({ records: 0, endpoints: [], action: VALUES })).toBe('Acme read its Data Debit and got no records');
  });

  it('distinguishes storing, changing, deleting and asking for data', () => {
    expect(textOf({ action: 'POST /api/v2.6/data/:namespace/*endpoint', records: 1 })).toBe(
      'Acme stored 1 record in Daily steps',
    );
    expect(textOf({ action: 'PUT /api/v2.6/data', records: 2 })).toBe('Acme changed 2 records in Daily steps');
    expect(textOf({ action: 'DELETE /api/v2.6/data', records: 2 })).toBe('Acme deleted 2 records of Daily steps');
    expect(textOf({ action: 'POST /api/v2.6/data-debit/*key', records: 0, endpoints: [] })).toBe(
      'Acme asked you for data',
    );
  });

  it('states why a request was refused', () => {
    expect(textOf(refusal)).toBe('Acme tried to read Daily steps, refused: no permission');
    expect(textOf({ ...refusal, action: VALUES, endpoints: [], status: 400, reason: 'data_debit_not_enabled' })).toBe(
      'Acme tried to read a Data Debit, refused: you do not share this',
    );
    expect(textOf({ ...refusal, endpoints: [], reason: 'a_new_code' })).toBe(
      'Acme tried to read your data, refused: a new code',
    );
  });

  it('describes entries whose action names an event instead of a route', () => {
    const owner = { who: { kind: 'owner' as const, name: '' }, records: 0, endpoints: [] };
    expect(textOf({ ...owner, action: 'sign-in' })).toBe('You signed in');
    expect(textOf({ ...owner, action: 'password-change' })).toBe('You changed the password');
    const consent = { kind: 'debit' as const, name: 'lunch', detail: '' };
    expect(textOf({ ...owner, action: 'debit-check-refused', consent })).toBe(
      'You checked a consent: its requester gets no data, lunch',
    );
    const anonymous = {
      who: { kind: 'visitor' as const, name: '' },
      records: 0,
      endpoints: [],
      outcome: 'refused' as const,
    };
    const invalidTokenRefusal = {
      ...anonymous,
      action: 'call without a valid token',
      status: 401,
      reason: 'not_authenticated',
      count: 6,
    };
    expect(textOf(invalidTokenRefusal)).toBe('Anonymous visitors sent a request without a valid key, refused 6 times');
    expect(textOf({ ...anonymous, action: 'sign-in', status: 401, reason: 'invalid_credentials' })).toBe(
      'An anonymous visitor tried to sign in, refused: wrong name or password',
    );
  });

  it('uses the name that a user had at the time of the entry', () => {
    const user = { who: { kind: 'user' as const, name: 'u-1', person: 'Grace' }, consent: null, endpoints: [] };
    expect(textOf({ ...user, records: 0, action: 'sign-in' })).toBe('A guest, Grace, signed in');
    expect(textOf({ ...user, records: 0, action: 'DELETE /users/access_token' })).toBe('A guest, Grace, signed out');
    expect(textOf({ ...refusal, ...user })).toBe('A guest, Grace, tried to read your data, refused: no permission');
  });

  it('uses the plural for several anonymous requests', () => {
    const anonymous = {
      ...refusal,
      who: { kind: 'visitor' as const, name: '' },
      status: 401,
      reason: 'not_authenticated',
    };
    expect(textOf(anonymous)).toBe('An anonymous visitor tried to read Daily steps, refused: without a valid key');
    expect(textOf({ ...anonymous, count: 1200 })).toBe(
      'Anonymous visitors tried to read Daily steps, refused 1 200 times: without a valid key',
    );
  });

  it('states the count and latest time of repeated refusals', () => {
    const repeatedRefusal = { ...refusal, count: 1204, last: '2026-03-04T12:34:00.000Z' };
    expect(textOf(repeatedRefusal)).toMatch(
      /^Acme tried to read Daily steps, refused 1 204 times, last at \d\d:\d\d: no permission$/u,
    );
  });

  it('falls back to generic wording if a consent, a name or an action is unknown', () => {
    const withoutConsent = { ...names, consentTime: () => undefined };
    expect(textOf({ who: { kind: 'contract', name: 'c-1' }, consent: debit }, withoutConsent)).toBe(
      'Contract c-1 read 40 records of Daily steps, entire records, under one of your consents',
    );
    expect(textOf({ action: 'GET /api/v2.6/something/else', records: 0, endpoints: [] })).toBe(
      'Acme sent a request of another kind',
    );
  });
});
