import type { OwnerDebit } from '../../../shared/api/contract.ts';
import type { Bundle } from '../../../../server/wire/query.ts';

/** Creates a running consent. `requestClientName` equals the key. */
export function exampleConsent(key: string, bundle: Bundle, lastRead: string | null = null): OwnerDebit {
  const permission: OwnerDebit['debit']['permissionsLatest'] = {
    permissionId: key,
    state: 'running',
    dateCreated: '2026-01-01T00:00:00.000Z',
    purpose: '',
    start: '2026-01-01T00:00:00.000Z',
    period: 1,
    cancelAtPeriodEnd: false,
    termsUrl: '',
    bundle: { name: key, bundle },
    accepted: true,
    active: true,
    end: null,
  };
  return {
    debit: {
      dataDebitKey: key,
      state: 'enabled',
      dateCreated: permission.dateCreated,
      permissions: [permission],
      permissionsActive: permission,
      permissionsLatest: permission,
      requestClientName: key,
      requestClientUrl: '',
      requestClientLogoUrl: '',
      active: true,
      accepted: true,
      start: permission.start,
      end: null,
    },
    requester: { kind: 'owner', name: '', site: '' },
    waiting: null,
    pendingRequester: null,
    callbackHost: null,
    renews: null,
    renewed: null,
    endsAtPeriodEnd: false,
    lastGranted: null,
    liveGrants: [],
    lastRead,
    reads: 0,
    recordsShared: 0,
    refused: 0,
  };
}
