import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { desktopRequestSchema, type DesktopRequest } from '../../../wire/desktop.ts';
import type { StoredDebit, StoredPermission } from '../../sharing/debits/service.ts';
import { describeRenewal, describeRequest } from './request-rules.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const DAY_SECONDS = 86_400;
const ISOLATES = /\u2068|\u2069/gu;

type Overrides = Partial<Omit<StoredPermission, 'terms'>> & { terms?: Partial<StoredPermission['terms']> };

const pendingPermission = ({ terms, ...overrides }: Overrides = {}): StoredPermission => ({
  id: 'p1',
  created: NOW,
  start: NOW,
  period: 30 * DAY_SECONDS,
  cancelAtPeriodEnd: true,
  acceptedAt: null,
  rejectedAt: null,
  canceledAt: null,
  canceledAtPeriodEnd: false,
  wasCanceledAtPeriodEnd: false,
  requestedPeriod: 30 * DAY_SECONDS,
  requestedCancelAtPeriodEnd: true,
  requestedBundle: { name: 'b', bundle: { e: { endpoints: [{ endpoint: 'a/b', mapping: { x: 'x' } }], limit: 5 } } },
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
  ...overrides,
});
const debitOf = (...permissions: readonly StoredPermission[]): StoredDebit => ({
  id: 1,
  key: 'lunch',
  requester: { kind: 'application', name: 'lunch-app' },
  application: 'lunch-app',
  created: NOW,
  removedAt: null,
  pausedUntil: null,
  permissions,
});
const requestFor = (overrides?: Overrides, earlierPermissions: readonly StoredPermission[] = []): DesktopRequest => {
  const permission = pendingPermission(overrides);
  return desktopRequestSchema.parse(describeRequest(debitOf(...earlierPermissions, permission), permission, NOW));
};
const requestForProperty = (property: StoredPermission['requestedBundle']['bundle'][string]): DesktopRequest =>
  requestFor({ requestedBundle: { name: 'b', bundle: { e: property } } });

describe('a request in a notification', () => {
  it('states all terms of a small request', () => {
    expect(requestFor()).toMatchObject({
      title: '“Lunch Ltd” (lunch.example) asks for data',
      body: 'x of a/b (the oldest 5), until 14 February 2026, 12:00 UTC. For: Lunch.',
      fingerprint: expect.any(String),
    });
    expect(requestFor({ requestedCancelAtPeriodEnd: false }).body).toContain(
      'until you end the permission, renewed every 30 days',
    );
  });

  it('has German texts, whose fingerprint differs from that of the English texts', () => {
    const permission = pendingPermission({
      requestedBundle: { name: 'b', bundle: { e: { endpoints: [{ endpoint: 'a/b', mapping: { x: 'x' } }] } } },
    });
    const german = describeRequest(debitOf(permission), permission, NOW, 'de');
    expect(desktopRequestSchema.parse(german)).toMatchObject({
      title: '„Lunch Ltd“ (lunch.example) möchte Daten',
      body: 'x von a/b (alle Datensätze, auch neue), bis 14. Februar 2026, 12:00 UTC. Wofür: Lunch.',
      fingerprint: expect.any(String),
    });
    expect(german.fingerprint).not.toBe(describeRequest(debitOf(permission), permission, NOW, 'en').fingerprint);
    const longRequest = pendingPermission({ terms: { requestClientName: '', purpose: 'Lunch '.repeat(100) } });
    expect(describeRequest(debitOf(longRequest), longRequest, NOW, 'de')).toMatchObject({
      title: '„Jemand“ möchte Daten',
      body: expect.stringMatching(/^Sieh dir die Anfrage an, bevor du entscheidest\. .*…$/u),
      fingerprint: null,
    });
  });

  it('names the source field instead of the name that the requester chose for it', () => {
    expect(requestForProperty({ endpoints: [{ endpoint: 'a/b', mapping: { weather: 'diagnosis' } }] }).body).toContain(
      'diagnosis of a/b (all records, including new ones)',
    );
  });

  it.each([
    ['entire records', { endpoints: [{ endpoint: 'a/b' }] }],
    ['a field with the entire record', { endpoints: [{ endpoint: 'a/b', mapping: { x: 'x', steps: 'data.[]' } }] }],
    [
      'a filter',
      {
        endpoints: [
          { endpoint: 'a/b', mapping: { x: 'x' }, filters: [{ field: 'y', operator: { operator: 'in', value: 1 } }] },
        ],
      },
    ],
    ['a nested mapping', { endpoints: [{ endpoint: 'a/b', mapping: { x: { source: 'y', mappings: { z: 'z' } } } }] }],
    ['sorting by a field', { endpoints: [{ endpoint: 'a/b', mapping: { x: 'x' } }], orderBy: 'secret', limit: 1 }],
    [
      'more fields than fit',
      {
        endpoints: [
          {
            endpoint: 'a/b',
            mapping: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, `field${index}`])),
          },
        ],
      },
    ],
  ] as const)('has no fingerprint if the bundle is too complex for a notification (%s)', (_title, property) => {
    expect(
      requestForProperty(structuredClone<unknown>(property) as StoredPermission['requestedBundle']['bundle'][string])
        .fingerprint,
    ).toBeNull();
  });

  it.each<[string, Overrides]>([
    ['a condition', { conditions: { name: 'c', bundle: {} } }],
    ['a period that has ended', { start: NOW - 31 * DAY_SECONDS * 1000 }],
    ['a later start', { start: NOW + 1000 }],
    ['a period that is not a whole number of days', { requestedCancelAtPeriodEnd: false, requestedPeriod: 100 }],
    ['a separate description', { terms: { requestDescription: 'Something else.' } }],
    ['a callback to another host', { terms: { requestClientCallbackUrl: 'https://other.example/callback' } }],
    ['terms on another host', { terms: { termsUrl: 'https://other.example/terms' } }],
    ['a name with a bidirectional override', { terms: { requestClientName: 'Lunch\u202Etld' } }],
    ['a name with a line break', { terms: { requestClientName: 'Lunch\nYour PDA' } }],
    ['a name that ends its quotation', { terms: { requestClientName: 'Your bank” is safe. “Lunch' } }],
    ['a name with stacked combining marks', { terms: { requestClientName: `L${'\u0301'.repeat(40)}` } }],
    ['a purpose with an invisible character', { terms: { purpose: 'Lunch\u200B.' } }],
    ['a long purpose', { terms: { purpose: 'Lunch '.repeat(100) } }],
    ['a long name', { terms: { requestClientName: 'L'.repeat(200) } }],
  ])('has no fingerprint if the request has %s', (_title, request) => {
    expect(requestFor(request).fingerprint).toBeNull();
  });

  it('has no fingerprint if it changes an active permission', () => {
    expect(requestFor({}, [{ ...pendingPermission(), id: 'p0', acceptedAt: NOW }]).fingerprint).toBeNull();
  });

  it('has a different fingerprint if the request differs, even in terms that are not shown', () => {
    const fingerprints = [
      requestFor(),
      requestFor({ id: 'p2' }),
      requestFor({ start: NOW - 1 }),
      requestFor({ terms: { requestClientCallbackUrl: 'https://lunch.example/callback' } }),
      requestFor({ terms: { requestClientLogoUrl: 'https://lunch.example/other.png' } }),
      requestForProperty({ endpoints: [{ endpoint: 'a/b', mapping: { y: 'x' } }], limit: 5 }),
    ].map(({ fingerprint }) => fingerprint);
    expect(fingerprints).not.toContain(null);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
  });

  it('has a limited length and no control characters for any name and purpose', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(text, text, (requestClientName, purpose) => {
        const { title, body, requester } = requestFor({ terms: { requestClientName, purpose } });
        for (const shownText of [title, body, requester])
          expect(shownText.replaceAll(ISOLATES, '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('isolates right-to-left names and texts, and still has a fingerprint', () => {
    const terms = { requestClientName: 'ארוחה', purpose: 'ארוחת צהריים' };
    const requestedBundle = {
      name: 'b',
      bundle: { e: { endpoints: [{ endpoint: 'a/b', mapping: { x: 'שעה' } }], limit: 5 } },
    };
    const { title, body, requester, fingerprint } = requestFor({ terms, requestedBundle });
    expect(title).toBe('“\u2068ארוחה\u2069” (lunch.example) asks for data');
    expect(body).toContain('\u2068שעה\u2069 of a/b (the oldest 5)');
    expect(body).toMatch(/For: \u2068ארוחת צהריים\u2069$/u);
    expect(requester).toBe('ארוחה');
    expect(fingerprint).not.toBeNull();
    expect(requestFor({ terms, start: NOW + 1000 })).toMatchObject({
      title: '“\u2068ארוחה\u2069” asks for data',
      body: expect.stringMatching(/: \u2068ארוחת צהריים\u2069$/u),
    });
    const permission = pendingPermission({ terms });
    expect(describeRenewal({ debit: debitOf(permission), permission, periodStart: NOW }).title).toBe(
      '“\u2068ארוחה\u2069” still has access',
    );
  });
});
