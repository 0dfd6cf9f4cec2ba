import { describe, expect, it } from 'vitest';
import type { LedgerRow } from '../../../shared/api/contract.ts';
import { dayNear } from '../../../shared/format/format.ts';
import { groupEntriesByDay } from './day-groups.ts';
import { type EntryNames, sentence } from './entry-text.ts';

const row = (given: Partial<LedgerRow>): LedgerRow => ({
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
  ...given,
});

const GIVEN = new Date(Date.now() - 10 * 86_400_000).toISOString();
const GIVEN_DAY = dayNear(GIVEN);

const known: EntryNames = {
  applicationName: (id) => (id === 'acme' ? 'Acme' : id),
  consentGiven: () => GIVEN,
};
const said = (given: Partial<LedgerRow>, with_: EntryNames = known) =>
  sentence(row(given), with_).text.replaceAll(/[\u202F\u00A0]/g, ' ');

const VALUES = 'GET /api/v2.6/data-debit/*key/values';
const debit = { kind: 'debit' as const, name: 'dd-1', detail: 'p1' };
const refused = { outcome: 'refused' as const, status: 403, reason: 'forbidden', records: 0 };

describe('an entry of the access history', () => {
  it('names the source of a downloaded file', () => {
    const fetched = { action: 'GET /storage/:fileId', endpoints: ['files:photos'], records: 1 };
    expect(said({ ...fetched, who: { kind: 'visitor', name: '' } })).toBe('An anonymous visitor read a file of photos');
    expect(said(fetched)).toBe('Acme read a file of photos');
  });

  it('says what the owner decided in a notification, and about which request', () => {
    const decided = { who: { kind: 'owner' as const, name: '' }, endpoints: [], records: 0, consent: debit };
    expect(said({ ...decided, action: 'debit-deny-notification' })).toBe(
      'You refused a request in a notification, dd-1',
    );
    expect(said({ ...decided, action: 'debit-approve-notification' })).toBe(
      'You allowed a request in a notification, dd-1',
    );
  });

  it('says who read how much of what, and by which consent', () => {
    expect(said({ action: VALUES, fields: ['a', 'b', 'c'], consent: debit })).toBe(
      `Acme read 40 records of fitness/steps, 3 fields, under your consent of ${GIVEN_DAY}`,
    );
  });

  it('says out loud that entire records left', () => {
    expect(said({ consent: { kind: 'application', name: 'acme', detail: '1.0.0' } })).toBe(
      `Acme read 40 records of fitness/steps, entire records, under your consent of ${GIVEN_DAY}`,
    );
  });

  it('names two or three endpoints, and counts the others', () => {
    const read = (...endpoints: string[]) => said({ endpoints }).split(',').slice(0, -1).join(',');
    expect(read('a/1', 'a/2')).toBe('Acme read 40 records of a/1 and a/2');
    expect(read('a/1', 'a/2', 'a/3')).toBe('Acme read 40 records of a/1, a/2 and a/3');
    expect(read('a/1', 'a/2', 'a/3', 'a/4')).toBe('Acme read 40 records of a/1, a/2 and 2 more endpoints');
  });

  it('does not call an empty answer a reading', () => {
    expect(said({ records: 0 })).toBe('Acme read fitness/steps and got no records');
    expect(said({ records: 0, endpoints: [], action: VALUES })).toBe('Acme read its Data Debit and got no records');
  });

  it('tells writing from reading', () => {
    expect(said({ action: 'POST /api/v2.6/data/:namespace/*endpoint', records: 1 })).toBe(
      'Acme stored 1 record in fitness/steps',
    );
    expect(said({ action: 'PUT /api/v2.6/data', records: 2 })).toBe('Acme changed 2 records in fitness/steps');
    expect(said({ action: 'DELETE /api/v2.6/data', records: 2 })).toBe('Acme deleted 2 records of fitness/steps');
    expect(said({ action: 'POST /api/v2.6/data-debit/*key', records: 0, endpoints: [] })).toBe(
      'Acme asked you for data',
    );
  });

  it('says why something was refused', () => {
    expect(said(refused)).toBe('Acme tried to read fitness/steps, refused: no permission');
    expect(said({ ...refused, action: VALUES, endpoints: [], status: 400, reason: 'data_debit_not_enabled' })).toBe(
      'Acme tried to read a Data Debit, refused: you do not share this',
    );
    expect(said({ ...refused, endpoints: [], reason: 'a_new_code' })).toBe(
      'Acme tried to read your data, refused: a new code',
    );
  });

  it('describes entries that are not requests', () => {
    const owner = { who: { kind: 'owner' as const, name: '' }, records: 0, endpoints: [] };
    expect(said({ ...owner, action: 'sign-in' })).toBe('You signed in');
    expect(said({ ...owner, action: 'password-change' })).toBe('You changed the password');
    const consent = { kind: 'debit' as const, name: 'lunch', detail: '' };
    expect(said({ ...owner, action: 'debit-check-refused', consent })).toBe(
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
    expect(said(unknown)).toBe('Anonymous visitors called without a valid key, refused 6 times');
    expect(said({ ...anonymous, action: 'sign-in', status: 401, reason: 'invalid_credentials' })).toBe(
      'An anonymous visitor tried to sign in, refused: wrong name or password',
    );
  });

  it('calls a person by the name that they had then', () => {
    const person = { who: { kind: 'user' as const, name: 'u-1', person: 'Grace' }, consent: null, endpoints: [] };
    expect(said({ ...person, records: 0, action: 'sign-in' })).toBe('Grace signed in');
    expect(said({ ...person, records: 0, action: 'DELETE /users/access_token' })).toBe('Grace signed out');
    expect(said({ ...refused, ...person })).toBe('Grace tried to read your data, refused: no permission');
  });

  it('counts refused anonymous requests together', () => {
    const anonymous = {
      ...refused,
      who: { kind: 'visitor' as const, name: '' },
      status: 401,
      reason: 'not_authenticated',
    };
    expect(said(anonymous)).toBe('An anonymous visitor tried to read fitness/steps, refused: without a valid key');
    expect(said({ ...anonymous, count: 1200 })).toBe(
      'Anonymous visitors tried to read fitness/steps, refused 1 200 times: without a valid key',
    );
  });

  it('says how often and when the last time was, where the same was refused again', () => {
    const again = { ...refused, count: 1204, last: '2026-03-04T12:34:00.000Z' };
    expect(said(again)).toMatch(
      /^Acme tried to read fitness\/steps, refused 1 204 times, last at \d\d:\d\d: no permission$/u,
    );
  });

  it('keeps to what it knows when a consent or a name is gone', () => {
    const forgot = { ...known, consentGiven: () => undefined };
    expect(said({ who: { kind: 'contract', name: 'c-1' }, consent: debit }, forgot)).toBe(
      'Contract c-1 read 40 records of fitness/steps, entire records, under one of your consents',
    );
    expect(said({ action: 'GET /api/v2.6/something/else', records: 0, endpoints: [] })).toBe(
      'Acme called GET /something/else',
    );
  });
});

describe('entries by day', () => {
  it('stand under the day they fell on, where the reader is', () => {
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
