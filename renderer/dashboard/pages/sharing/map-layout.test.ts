import { describe, expect, it } from 'vitest';
import type { OwnerDebit } from '../../../shared/api/contract.ts';
import type { Bundle } from '../../../../server/wire/query.ts';
import { layOut, sharedNames } from './map-layout.ts';

function consent(key: string, bundle: Bundle, lastRead: string | null = null): OwnerDebit {
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
    waitingAs: null,
    tells: null,
    renews: null,
    renewed: null,
    endsAtPeriodEnd: false,
    lastRead,
    reads: 0,
    recordsShared: 0,
    refused: 0,
  };
}

const sees = (...endpoints: string[]): Bundle => ({
  a: { endpoints: endpoints.map((endpoint) => ({ endpoint, mapping: { x: 'x' } })) },
});

describe('the map of who can see what', () => {
  it('draws one line for each consent and endpoint, thick when anything of it is entire', () => {
    const map = layOut([
      consent('one', {
        a: { endpoints: [{ endpoint: 'f/a', mapping: { x: 'x' } }, { endpoint: 'f/a' }] },
        b: { endpoints: [{ endpoint: 'f/b', mapping: { x: 'x' } }] },
      }),
      consent('two', sees('f/b')),
    ]);
    expect(map.places.map(({ id }) => id)).toEqual(['f/a', 'f/b']);
    expect(map.lines).toEqual([
      { from: 0, to: 0, entire: true },
      { from: 0, to: 1, entire: false },
      { from: 1, to: 1, entire: false },
    ]);
  });

  it('puts each endpoint beside those that see it', () => {
    const map = layOut([consent('one', sees('z/z')), consent('two', sees('m/m')), consent('three', sees('a/a'))]);
    expect(map.places.map(({ id }) => id)).toEqual(['z/z', 'm/m', 'a/a']);
  });

  it('shows sources when there are too many endpoints, and those that looked last when there are too many consents', () => {
    const many = Array.from({ length: 20 }, (_, at) =>
      consent(`c${at}`, sees(`s${at % 3}/e${at}`, `s${at % 3}/f${at}`), at === 19 ? '2026-01-01T00:00:00.000Z' : null),
    );
    const map = layOut(many);
    expect(map.places.map(({ id }) => id).toSorted()).toEqual(['s0', 's1', 's2']);
    expect([map.consents.length, map.hidden, map.consents[0]?.key]).toEqual([14, 6, 'c19']);
    expect(map.lines).toHaveLength(14);
  });

  it('knows whose name alone does not tell two consents apart', () => {
    const items = [consent('one', sees('z/z')), consent('two', sees('m/m')), consent('three', sees('a/a'))];
    const [first, second] = items;
    if (first === undefined || second === undefined) throw new Error('three were made');
    second.debit.requestClientName = first.debit.requestClientName;
    const isShared = sharedNames(items);
    expect(items.map(({ debit }) => isShared(debit.requestClientName))).toEqual([true, true, false]);
  });
});
