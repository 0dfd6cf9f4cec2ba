import { isoTime, isoTimeOrNull } from '../../../../platform/clock.ts';
import type { LedgerRow } from '../../../../wire/ledger.ts';
import { MAX_NAMED_FILES } from '../../../../wire/limits.ts';
import type { LoggedPrincipal } from '../entry.ts';
import { numbersIn, timeOf } from '../rules.ts';
import type { AccessLogRow, AccessLogStore } from '../store.ts';
import type { Interning } from './interning.ts';
import type { NamedFile, RecordNumbers } from './record-lookup.ts';

const FILES_PREFIX = 'files:';

export const toLoggedPrincipal = (kind: LoggedPrincipal['kind'], name: string, person = ''): LoggedPrincipal =>
  kind === 'user' ? { kind, name, person } : { kind, name };

/** Returns the time of a row's first request in Unix milliseconds. */
export const timeOfRow = (row: Pick<AccessLogRow, 'id' | 'lagMs'>): number => timeOf(row.id) - row.lagMs;

export const createWireRows = (parts: { store: AccessLogStore; shapes: Interning; recordNumbers: RecordNumbers }) => {
  const { store, shapes, recordNumbers } = parts;

  const requestOf = (row: Pick<AccessLogRow, 'shape'>) => {
    const [kind, name, action, status, reason, consent, endpoints, fields, address, person] = shapes.read(row.shape);
    return {
      who: toLoggedPrincipal(kind, name, person),
      action,
      status,
      reason,
      consent: consent === null ? null : { kind: consent[0], name: consent[1], detail: consent[2] },
      endpoints,
      fields,
      address,
    };
  };

  /** Only files have names, so the result is empty for rows without a files endpoint. */
  const filesOf = (row: AccessLogRow, endpoints: readonly string[]): NamedFile[] => {
    if (row.records === 0 || !endpoints.some((endpoint) => endpoint.startsWith(FILES_PREFIX))) return [];
    const packed = store.recordNumbersOf(row.id);
    if (packed === null) return [];
    return numbersIn(packed, 0, MAX_NAMED_FILES).flatMap((number) => recordNumbers.fileOf(number) ?? []);
  };

  return {
    requestOf,

    toWire(row: AccessLogRow): LedgerRow {
      const { who, action, status, reason, consent, endpoints, fields, address } = requestOf(row);
      return {
        id: row.id,
        time: isoTime(timeOfRow(row)),
        who,
        action,
        outcome: reason === null ? 'allowed' : 'refused',
        status,
        reason,
        consent,
        endpoints: [...endpoints],
        files: filesOf(row, endpoints),
        records: row.records,
        fields: fields === null ? null : [...fields],
        bytes: row.bytes,
        address,
        count: row.count,
        last: isoTimeOrNull(row.last),
      };
    },
  };
};

export type WireRows = ReturnType<typeof createWireRows>;
