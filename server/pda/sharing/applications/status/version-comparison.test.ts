import { describe, expect, it } from 'vitest';
import { anApplication } from '../../../../../tests/support/applications.ts';
import { applicationSchema, type Application } from '../../../../wire/applications.ts';
import type { BundleProperty } from '../../../../wire/query.ts';
import { requestsMoreThan, statusDefinitionOf } from './version-comparison.ts';

const ROLES = [
  { role: 'namespaceread', detail: 'fitness' },
  { role: 'namespacewrite', detail: 'fitness' },
];
type ApplicationChange = Parameters<typeof anApplication>[0];
const version = (change: ApplicationChange = {}): Application =>
  applicationSchema.parse(anApplication({ roles: ROLES, data: ['fitness/steps'], ...change }));
const versionSharing = (property: Partial<BundleProperty>): Application => {
  const application = version();
  application.permissions.dataRetrieved = {
    name: 'notes-data',
    bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }], ...property } },
  };
  return application;
};
const steps = (mapping?: Record<string, string>, filters?: unknown) =>
  ({ endpoints: [{ endpoint: 'fitness/steps', mapping, filters }] }) as Partial<BundleProperty>;

describe('a published version that requests more', () => {
  it.each<[string, Application, Application]>([
    ['with another role', version({ roles: [...ROLES, { role: 'namespaceread', detail: 'notes' }] }), version()],
    ['with the role `owner`', version({ roles: [{ role: 'owner' }] }), version()],
    ['with data although none was approved', version(), version({ data: undefined })],
    ['with another property', version({ data: ['fitness/steps', 'notes/all'] }), version()],
    ['with the entire record in place of some fields', versionSharing({}), versionSharing(steps({ a: 'data.a' }))],
    ['with another field', versionSharing(steps({ a: 'data.a', b: 'data.b' })), versionSharing(steps({ a: 'data.a' }))],
    [
      'with a field from a different source',
      versionSharing(steps({ a: 'data.b' })),
      versionSharing(steps({ a: 'data.a' })),
    ],
    [
      'without an approved filter',
      versionSharing(steps()),
      versionSharing(steps(undefined, [{ field: 'data.a', operator: { operator: 'in', value: [1] } }])),
    ],
    ['with a higher limit', versionSharing({ limit: 20 }), versionSharing({ limit: 10 })],
    ['without a limit', versionSharing({}), versionSharing({ limit: 10 })],
    [
      'with different records under the same limit',
      versionSharing({ limit: 10, ordering: 'descending' }),
      versionSharing({ limit: 10 }),
    ],
    [
      'when its status check would send a token to a different host',
      version({ status: { kind: 'External', statusUrl: 'https://else.example/' } }),
      version({ status: { kind: 'External', statusUrl: 'https://notes.example/' } }),
    ],
    [
      'when its status check begins to send tokens',
      version({ status: { kind: 'External', statusUrl: 'https://a.example/' } }),
      version(),
    ],
    ['with a redirect URL at a different site', version({ url: 'https://else.example/' }), version()],
    [
      'with a redirect URL at a different port',
      version({ setup: { url: 'https://notes.example.com:8443/' } }),
      version(),
    ],
    ['with a redirect URL of a different app', version({ setup: { iosUrl: 'evil://in' } }), version()],
  ])('needs a new approval: %s', (_, publishedVersion, approvedVersion) => {
    expect(requestsMoreThan(publishedVersion, approvedVersion)).toBe(true);
  });
});

describe('a published version that requests nothing more', () => {
  it.each<[string, Application, Application]>([
    ['without a change', version(), version()],
    ['with a different version and text', version({ version: '2.0.0', info: { headline: 'New' } }), version()],
    ['with one role fewer', version({ roles: ROLES.slice(0, 1) }), version()],
    ['with an unknown role, which grants nothing', version({ roles: [...ROLES, { role: 'wizard' }] }), version()],
    ['without any data', version({ data: undefined }), version()],
    ['with one property fewer', version(), version({ data: ['fitness/steps', 'notes/all'] })],
    [
      'with one field fewer',
      versionSharing(steps({ a: 'data.a' })),
      versionSharing(steps({ b: 'data.b', a: 'data.a' })),
    ],
    ['with fields in place of the entire record', versionSharing(steps({ a: 'data.a' })), versionSharing(steps())],
    ['with a limit', versionSharing({ limit: 10 }), versionSharing({})],
    ['with a lower limit', versionSharing({ limit: 5 }), versionSharing({ limit: 10 })],
    ['with a different bundle name', version({ bundleName: 'other' }), version()],
    [
      'when its service moves to a different page',
      version({ status: { kind: 'External', statusUrl: 'https://notes.example/b', expectedStatus: 204 } }),
      version({ status: { kind: 'External', statusUrl: 'https://notes.example/a' } }),
    ],
    [
      'when its redirect URL is another page of the same site',
      version({ setup: { url: 'https://notes.example.com/back' } }),
      version({ setup: { iosUrl: 'notes://in' } }),
    ],
    [
      'with a redirect URL to which no token can be sent',
      version({ setup: { iosUrl: 'ftp://else.example/' } }),
      version(),
    ],
  ])('needs no new approval: %s', (_, publishedVersion, approvedVersion) => {
    expect(requestsMoreThan(publishedVersion, approvedVersion)).toBe(false);
  });
});

describe('the definition for the status check', () => {
  it('is the published one, or the approved one if the published status URL has a different origin', () => {
    const approvedVersion = version({ status: { kind: 'External', statusUrl: 'https://notes.example/a' } });
    const movedVersion = version({ status: { kind: 'External', statusUrl: 'https://notes.example/b' } });
    const versionOnOtherHost = version({ status: { kind: 'External', statusUrl: 'https://else.example/a' } });
    expect(statusDefinitionOf(movedVersion, approvedVersion)).toBe(movedVersion);
    expect(statusDefinitionOf(versionOnOtherHost, approvedVersion)).toBe(approvedVersion);
    expect(statusDefinitionOf(version(), approvedVersion).status.kind).toBe('Internal');
  });
});
