import { actOf } from '../../../../wire/access-kinds.ts';
import type { LedgerRow } from '../../../../wire/ledger.ts';
import type { AccessNames } from '../names.ts';

export const EXPORT_COLUMNS = [
  'time',
  'last',
  'who.kind',
  'who.id',
  'who.name',
  'act',
  'action',
  'outcome',
  'status',
  'reason',
  'consent.kind',
  'consent.id',
  'consent.name',
  'consent.detail',
  'endpoints',
  'endpointNames',
  'files',
  'records',
  'fields',
  'bytes',
  'address',
  'requests',
] as const;

const LIST_SEPARATOR = '; ';

export const toExportedEntry = (
  row: LedgerRow,
  names: Pick<AccessNames, 'nameOf'>,
  endpointNameOf: (endpoint: string) => string,
) => {
  const { who, consent } = row;
  return {
    time: row.time,
    last: row.last,
    who: { kind: who.kind, id: who.name, name: who.person ?? names.nameOf(who.kind, who.name) ?? null },
    act: actOf(row.action, who.kind === 'owner'),
    action: row.action,
    outcome: row.outcome,
    status: row.status,
    reason: row.reason,
    consent:
      consent === null
        ? null
        : {
            kind: consent.kind,
            id: consent.name,
            name: names.nameOf(consent.kind, consent.name) ?? null,
            detail: consent.detail,
          },
    endpoints: row.endpoints.map((endpoint) => ({ endpoint, name: endpointNameOf(endpoint) })),
    files: row.files.map(({ name }) => name),
    records: row.records,
    fields: row.fields,
    bytes: row.bytes,
    address: row.address,
    requests: row.count,
  };
};

/** Returns the entry as JSON, with each list joined into one string. */
export const toCsvRecordText = ({ endpoints, files, fields, ...entry }: ReturnType<typeof toExportedEntry>): string =>
  JSON.stringify({
    ...entry,
    endpoints: endpoints.map(({ endpoint }) => endpoint).join(LIST_SEPARATOR),
    endpointNames: endpoints.map(({ name }) => name).join(LIST_SEPARATOR),
    files: files.join(LIST_SEPARATOR),
    fields: fields?.join(LIST_SEPARATOR) ?? null,
  });
