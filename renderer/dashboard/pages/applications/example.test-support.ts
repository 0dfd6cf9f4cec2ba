import type { OwnerApplication } from '../../../shared/api/contract.ts';

/** Creates an application that is not set up and requests nothing. @param changes properties to replace */
export function exampleApplication(
  changes: Partial<Omit<OwnerApplication, 'item'>> & {
    item?: Partial<OwnerApplication['item']>;
    name?: string;
    id?: string;
  },
): OwnerApplication {
  const { item, name = 'Acme Steps', id = 'acme', ...rest } = changes;
  return {
    edition: 'as published',
    asks: { read: [], write: [], files: [], proposesDebits: false, debits: [], actsAsOwner: false, other: [] },
    asksData: null,
    approved: null,
    debitKey: null,
    sessions: 0,
    lastSeen: null,
    addresses: [],
    status: null,
    ...rest,
    item: {
      setup: false,
      enabled: false,
      active: false,
      ...item,
      application: {
        id,
        kind: { kind: 'App', url: 'https://acme.example/' },
        info: {
          version: '1.0.0',
          published: true,
          name,
          headline: 'Counts your steps',
          description: { text: 'It counts.' },
          dataPreview: [],
          graphics: { logo: { normal: '' }, screenshots: [] },
        },
        permissions: { rolesGranted: [] },
        setup: { kind: 'Internal' },
        status: { kind: 'Internal', compatibility: '1.0.0' },
      },
    },
  };
}
