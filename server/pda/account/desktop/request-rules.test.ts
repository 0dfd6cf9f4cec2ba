import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { desktopRequestSchema, type DesktopRequest } from '../../../wire/desktop.ts';
import type { StoredDebit, StoredPermission } from '../../sharing/debits/service.ts';
import { renewalOf, requestOf } from './request-rules.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const DAY = 86_400;
const ISOLATES = /\u2068|\u2069/gu;

type Asked = Partial<Omit<StoredPermission, 'terms'>> & { terms?: Partial<StoredPermission['terms']> };

const waitingFor = ({ terms, ...asked }: Asked = {}): StoredPermission => ({
  id: 'p1',
  created: NOW,
  start: NOW,
  period: 30 * DAY,
  cancelAtPeriodEnd: true,
  acceptedAt: null,
  rejectedAt: null,
  canceledAt: null,
  canceledAtPeriodEnd: false,
  askedPeriod: 30 * DAY,
  askedCancelAtPeriodEnd: true,
  asked: { name: 'b', bundle: { e: { endpoints: [{ endpoint: 'a/b', mapping: { x: 'x' } }], limit: 5 } } },
  conditions: null,
  granted: null,
  terms: {
    purpose: 'Lunch.',
    termsUrl: 'https://lunch.example/terms',
    requestClientName: 'Lunch Ltd',
    requestClientUrl: 'https://lunch.example/',
    requestClientLogoUrl: 'https://lunch.example/logo.png',
    ...terms,
  },
  ...asked,
});
const debitOf = (...permissions: readonly StoredPermission[]): StoredDebit => ({
  id: 1,
  key: 'lunch',
  requester: { kind: 'application', name: 'asker' },
  application: 'asker',
  created: NOW,
  removedAt: null,
  permissions,
});
const requestFor = (asked?: Asked, before: readonly StoredPermission[] = []): DesktopRequest => {
  const waiting = waitingFor(asked);
  return desktopRequestSchema.parse(requestOf(debitOf(...before, waiting), waiting, NOW));
};
const ofBundle = (property: StoredPermission['asked']['bundle'][string]): DesktopRequest =>
  requestFor({ asked: { name: 'b', bundle: { e: property } } });

describe('a request in a notification', () => {
  it('says all of a small one', () => {
    expect(requestFor()).toMatchObject({
      title: '“Lunch Ltd” (lunch.example) asks for data',
      body: 'x of a/b (the oldest 5), until 14 February 2026, 12:00 UTC. For: Lunch.',
      fingerprint: expect.any(String),
    });
    expect(requestFor({ askedCancelAtPeriodEnd: false }).body).toContain('until you stop it, in periods of 30 days');
  });

  it('is said in German, and an approval is one of these words only', () => {
    const waiting = waitingFor({
      asked: { name: 'b', bundle: { e: { endpoints: [{ endpoint: 'a/b', mapping: { x: 'x' } }] } } },
    });
    const german = requestOf(debitOf(waiting), waiting, NOW, 'de');
    expect(desktopRequestSchema.parse(german)).toMatchObject({
      title: '„Lunch Ltd“ (lunch.example) möchte Daten',
      body: 'x von a/b (alle Datensätze, auch jeder neue), bis 14. Februar 2026, 12:00 UTC. Wofür: Lunch.',
      fingerprint: expect.any(String),
    });
    expect(german.fingerprint).not.toBe(requestOf(debitOf(waiting), waiting, NOW, 'en').fingerprint);
    const long = waitingFor({ terms: { requestClientName: '', purpose: 'Lunch '.repeat(100) } });
    expect(requestOf(debitOf(long), long, NOW, 'de')).toMatchObject({
      title: '„Jemand“ möchte Daten',
      body: expect.stringMatching(/^Sieh es an, bevor du entscheidest\. .*…$/u),
      fingerprint: null,
    });
  });

  it('names what is taken by where it comes from, not by what it is called afterwards', () => {
    expect(ofBundle({ endpoints: [{ endpoint: 'a/b', mapping: { weather: 'diagnosis' } }] }).body).toContain(
      'diagnosis of a/b (all records, also each new one)',
    );
  });

  it.each([
    ['entire records', { endpoints: [{ endpoint: 'a/b' }] }],
    [
      'a filter',
      {
        endpoints: [
          { endpoint: 'a/b', mapping: { x: 'x' }, filters: [{ field: 'y', operator: { operator: 'in', value: 1 } }] },
        ],
      },
    ],
    [
      'what is inside of something',
      { endpoints: [{ endpoint: 'a/b', mapping: { x: { source: 'y', mappings: { z: 'z' } } } }] },
    ],
    ['an order by a field', { endpoints: [{ endpoint: 'a/b', mapping: { x: 'x' } }], orderBy: 'secret', limit: 1 }],
    [
      'more than fits',
      {
        endpoints: [
          {
            endpoint: 'a/b',
            mapping: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}`, `field${n}`])),
          },
        ],
      },
    ],
  ] as const)('of which a few lines cannot say all is decided elsewhere: %s', (_what, property) => {
    expect(
      ofBundle(structuredClone<unknown>(property) as StoredPermission['asked']['bundle'][string]).fingerprint,
    ).toBeNull();
  });

  it.each<[string, Asked]>([
    ['a condition', { conditions: { name: 'c', bundle: {} } }],
    ['what is over', { start: NOW - 31 * DAY * 1000 }],
    ['what begins later', { start: NOW + 1000 }],
    ['a period that is not in days', { askedCancelAtPeriodEnd: false, askedPeriod: 100 }],
    ['a second text', { terms: { requestDescription: 'Something else.' } }],
    ['a callback to another host', { terms: { requestClientCallbackUrl: 'https://other.example/told' } }],
    ['terms on another host', { terms: { termsUrl: 'https://other.example/terms' } }],
    ['a name that turns text around', { terms: { requestClientName: 'Lunch\u202Etld' } }],
    ['a name with a line end', { terms: { requestClientName: 'Lunch\nYour PDA' } }],
    ['a name that ends its quotation', { terms: { requestClientName: 'Your bank” is safe. “Lunch' } }],
    ['a name under a heap of marks', { terms: { requestClientName: `L${'\u0301'.repeat(40)}` } }],
    ['a purpose with a hidden sign', { terms: { purpose: 'Lunch\u200B.' } }],
    ['a long purpose', { terms: { purpose: 'Lunch '.repeat(100) } }],
    ['a long name', { terms: { requestClientName: 'L'.repeat(200) } }],
  ])('is decided elsewhere: %s', (_what, asked) => {
    expect(requestFor(asked).fingerprint).toBeNull();
  });

  it('is decided elsewhere when it changes what runs', () => {
    expect(requestFor({}, [{ ...waitingFor(), id: 'p0', acceptedAt: NOW }]).fingerprint).toBeNull();
  });

  it('has another fingerprint for any other terms, also for those that are not words', () => {
    const fingerprints = [
      requestFor(),
      requestFor({ id: 'p2' }),
      requestFor({ start: NOW - 1 }),
      requestFor({ terms: { requestClientCallbackUrl: 'https://lunch.example/hear' } }),
      requestFor({ terms: { requestClientLogoUrl: 'https://lunch.example/other.png' } }),
      ofBundle({ endpoints: [{ endpoint: 'a/b', mapping: { y: 'x' } }], limit: 5 }),
    ].map(({ fingerprint }) => fingerprint);
    expect(fingerprints).not.toContain(null);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
  });

  it('limits the length and keeps a single line, whatever name the requester gives', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(text, text, (requestClientName, purpose) => {
        const { title, body, asker } = requestFor({ terms: { requestClientName, purpose } });
        for (const shown of [title, body, asker])
          expect(shown.replaceAll(ISOLATES, '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('isolates right-to-left names and texts of others, and can still be approved', () => {
    const terms = { requestClientName: 'ארוחה', purpose: 'ארוחת צהריים' };
    const asked = { name: 'b', bundle: { e: { endpoints: [{ endpoint: 'a/b', mapping: { x: 'שעה' } }], limit: 5 } } };
    const { title, body, asker, fingerprint } = requestFor({ terms, asked });
    expect(title).toBe('“\u2068ארוחה\u2069” (lunch.example) asks for data');
    expect(body).toContain('\u2068שעה\u2069 of a/b (the oldest 5)');
    expect(body).toMatch(/For: \u2068ארוחת צהריים\u2069$/u);
    expect(asker).toBe('ארוחה');
    expect(fingerprint).not.toBeNull();
    expect(requestFor({ terms, start: NOW + 1000 })).toMatchObject({
      title: '“\u2068ארוחה\u2069” asks for data',
      body: expect.stringMatching(/: \u2068ארוחת צהריים\u2069$/u),
    });
    const permission = waitingFor({ terms });
    expect(renewalOf({ debit: debitOf(permission), permission, periodStart: NOW }).title).toBe(
      '“\u2068ארוחה\u2069” goes on reading',
    );
  });
});
