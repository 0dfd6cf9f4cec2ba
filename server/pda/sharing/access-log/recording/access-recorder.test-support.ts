import { expect } from 'vitest';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import { ledgerPageSchema, ledgerRecordsSchema, type LedgerRow } from '../../../../wire/ledger.ts';

/** Reads a page of access log entries as the owner, newest first. */
export const rowsOf = async (pda: TestPda, query = ''): Promise<LedgerRow[]> => {
  const reply = await pda.call('GET', `/api/v2.6/owner/ledger?${query}`);
  expect(reply.status).toBe(200);
  return ledgerPageSchema.parse(reply.json).rows;
};

export const newestOf = async (pda: TestPda, application = 'notes'): Promise<LedgerRow> => {
  const [row] = await rowsOf(pda, `application=${application}&take=1`);
  if (row === undefined) throw new Error('the access log has no entry');
  return row;
};

export type NamedRecord = { recordId: string; endpoint: string | null; exists: boolean };

/** Returns the records of an entry, sorted by id. */
export const recordsIn = async (pda: TestPda, row: LedgerRow): Promise<NamedRecord[]> => {
  const allRecords: NamedRecord[] = [];
  for (;;) {
    const reply = await pda.call('GET', `/api/v2.6/owner/ledger/${row.id}/records?skip=${allRecords.length}&take=1000`);
    const { total, records } = ledgerRecordsSchema.parse(reply.json);
    allRecords.push(...records);
    if (records.length === 0 || allRecords.length >= total) {
      expect(allRecords.length).toBe(total);
      return allRecords.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1));
    }
  }
};

export const idsIn = async (pda: TestPda, row: LedgerRow): Promise<string[]> =>
  (await recordsIn(pda, row)).map((record) => record.recordId);
