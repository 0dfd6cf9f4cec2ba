import { describe, expect, it } from 'vitest';
import type { LedgerRow } from '../../../shared/api/contract.ts';
import { dayNear } from '../../../shared/format/format.ts';
import { groupEntriesByDay } from './day-groups.ts';
import { type EntryNames, entrySentence } from './entry-text.ts';

const row = (fields: Partial<LedgerRow>): LedgerRow => ({
  id: 1,
  time: '2026-03-04T12:00:00.000Z',
  who: { kind: 'application', name: 'acme' },
  action: 'GET /api/v2.6/data/:namespace/*endpoint',
  outcome: 'allowed',
  status: 200,
  reason: null,
  consent: null,
  endpoints: ['fitness/steps'],
  records: 40,
  fields: null,
  bytes: 1000,
  address: '203.0.113.7',
  count: 1,
  last: null,
  ...fields,
});

const CONSENT_TIME = new Date(Date.now() - 10 * 86_400_000).toISOString();
const CONSENT_DAY = dayNear(CONSENT_TIME);

const names: EntryNames = {
  applicationName: (id) => (id === 'acme' ? 'Acme' : id),
  consentName: ({ name }) => name,
  consentGiven: () => CONSENT_TIME,
};
const textOf = (fields: Partial<LedgerRow>, entryNames: EntryNames = names) =>
  entrySentence(row(fields), entryNames).text.replaceAll(/[\u202F\u00A0]/g, ' ');

const VALUES = 'GET /api/v2.6/data-debit/*key/values';
const debit = { kind: 'debit' as const, name: 'dd-1', detail: 'p1' };
const refused = { outcome: 'refused' as const, status: 403, reason: 'forbidden', records: 0 };

describe('an entry of the access history', () => {
  it('names the source of a downloaded file', () => {
    const download = { action: 'GET /storage/:fileId', endpoints: ['files:photos'], records: 1 };
    expect(textOf({ ...download, who: { kind: 'visitor', name: '' } })).toBe(
      'An anonymous visitor read a file of photos',
    );
    expect(textOf(download)).toBe('Acme read a file of photos');
  });

  it('names the decision that the owner made in a notification, and its request', () => {
    const decision = { who: { kind: 'owner' as const, name: '' }, endpoints: [], records: 0, consent: debit };
    expect(textOf({ ...decision, action: 'debit-deny-notification' })).toBe(
      'You declined a request in a notification, dd-1',
    );
    expect(textOf({ ...decision, action: 'debit-approve-notification' })).toBe(
      'You allowed a request in a notification, dd-1',
    );
  });

  it('names the decisions of the owner, and the other party or the source of a file', () => {
    const decision = { who: { kind: 'owner' as const, name: '' }, endpoints: [], records: 0 };
    const consentName = () => 'Lunch Ltd';
    expect(
      textOf(
        { ...decision, action: 'POST /api/v2.6/owner/debits/*key/change', consent: debit },
        { ...names, consentName },
      ),
    ).toBe('You changed what Lunch Ltd can see');
    expect(
      textOf({ ...decision, action: 'GET /api/v2.6/files/allowAccessPublic/:fileId', endpoints: ['files:photos'] }),
    ).toBe('You made a file of photos public');
    expect(textOf({ ...decision, action: 'PUT /users/user/:userId/delete' })).toBe('You removed a person');
  });

  it('states reader, number of records, endpoint and consent', () => {
    expect(textOf({ action: VALUES, fields: ['a', 'b', 'c'], consent: debit })).toBe(
      `Acme read 40 records of fitness/steps, 3 fields, under your consent of ${CONSENT_DAY}`,
    );
  });

  it('states explicitly that entire records were read', () => {
    expect(textOf({ consent: { kind: 'application', name: 'acme', detail: '1.0.0' } })).toBe(
      `Acme read 40 records of fitness/steps, entire records, under your consent of ${CONSENT_DAY}`,
    );
  });

  it('names up to three endpoints and counts the rest', () => {
    const read = (...endpoints: string[]) => textOf({ endpoints }).split(',').slice(0, -1).join(',');
    expect(read('a/1', 'a/2')).toBe('Acme read 40 records of a/1 and a/2');
    expect(read('a/1', 'a/2', 'a/3')).toBe('Acme read 40 records of a/1, a/2 and a/3');
    expect(read('a/1', 'a/2', 'a/3', 'a/4')).toBe('Acme read 40 records of a/1, a/2 and 2 more endpoints');
  });

  it('does not describe an empty response as records read', () => {
    expect(textOf({ records: 0 })).toBe('Acme read fitness/steps and got no records');
    expect(textOf({ records: 0, endpoints: [], action: VALUES })).toBe('Acme read its Data Debit and got no records');
  });

  it('distinguishes writes from reads', () => {
    expect(textOf({ action: 'POST /api/v2.6/data/:namespace/*endpoint', records: 1 })).toBe(
      'Acme stored 1 record in fitness/steps',
    );
    expect(textOf({ action: 'PUT /api/v2.6/data', records: 2 })).toBe('Acme changed 2 records in fitness/steps');
    expect(textOf({ action: 'DELETE /api/v2.6/data', records: 2 })).toBe('Acme deleted 2 records of fitness/steps');
    expect(textOf({ action: 'POST /api/v2.6/data-debit/*key', records: 0, endpoints: [] })).toBe(
      'Acme asked you for data',
    );
  });

  it('states the reason of a refusal', () => {
    expect(textOf(refused)).toBe('Acme tried to read fitness/steps, refused: no permission');
    expect(textOf({ ...refused, action: VALUES, endpoints: [], status: 400, reason: 'data_debit_not_enabled' })).toBe(
      'Acme tried to read a Data Debit, refused: you do not share this',
    );
    expect(textOf({ ...refused, endpoints: [], reason: 'a_new_code' })).toBe(
      'Acme tried to read your data, refused: a new code',
    );
  });

  it('describes entries that are not API requests', () => {
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
    const unknown = {
      ...anonymous,
      action: 'call without a valid token',
      status: 401,
      reason: 'not_authenticated',
      count: 6,
    };
    expect(textOf(unknown)).toBe('Anonymous visitors called without a valid key, refused 6 times');
    expect(textOf({ ...anonymous, action: 'sign-in', status: 401, reason: 'invalid_credentials' })).toBe(
      'An anonymous visitor tried to sign in, refused: wrong name or password',
    );
  });

  it('names a user as at the time of the entry', () => {
    const user = { who: { kind: 'user' as const, name: 'u-1', person: 'Grace' }, consent: null, endpoints: [] };
    expect(textOf({ ...user, records: 0, action: 'sign-in' })).toBe('Grace signed in');
    expect(textOf({ ...user, records: 0, action: 'DELETE /users/access_token' })).toBe('Grace signed out');
    expect(textOf({ ...refused, ...user })).toBe('Grace tried to read your data, refused: no permission');
  });

  it('aggregates refused anonymous requests', () => {
    const anonymous = {
      ...refused,
      who: { kind: 'visitor' as const, name: '' },
      status: 401,
      reason: 'not_authenticated',
    };
    expect(textOf(anonymous)).toBe('An anonymous visitor tried to read fitness/steps, refused: without a valid key');
    expect(textOf({ ...anonymous, count: 1200 })).toBe(
      'Anonymous visitors tried to read fitness/steps, refused 1 200 times: without a valid key',
    );
  });

  it('states count and last time of repeated refusals', () => {
    const repeated = { ...refused, count: 1204, last: '2026-03-04T12:34:00.000Z' };
    expect(textOf(repeated)).toMatch(
      /^Acme tried to read fitness\/steps, refused 1 204 times, last at \d\d:\d\d: no permission$/u,
    );
  });

  it('falls back to generic wording if a consent or name is unknown', () => {
    const withoutConsent = { ...names, consentGiven: () => undefined };
    expect(textOf({ who: { kind: 'contract', name: 'c-1' }, consent: debit }, withoutConsent)).toBe(
      'Contract c-1 read 40 records of fitness/steps, entire records, under one of your consents',
    );
    expect(textOf({ action: 'GET /api/v2.6/something/else', records: 0, endpoints: [] })).toBe(
      'Acme sent another request',
    );
  });
});

describe('groupEntriesByDay', () => {
  it('groups entries by local calendar day', () => {
    const at = (id: number, ...date: [number, number, number, number]) =>
      row({ id, time: new Date(...date).toISOString() });
    const now = new Date(2026, 2, 4, 9);
    const days = groupEntriesByDay(
      [at(4, 2026, 2, 4, 8), at(3, 2026, 2, 4, 0), at(2, 2026, 2, 3, 23), at(1, 2026, 1, 1, 12)],
      now,
    );
    expect(days.map(({ date, label, rows }) => [date, label, rows.map(({ id }) => id)])).toEqual([
      ['2026-03-04', 'Today', [4, 3]],
      ['2026-03-03', 'Yesterday', [2]],
      ['2026-02-01', '1 February 2026', [1]],
    ]);
  });
});
