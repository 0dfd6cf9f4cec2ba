import { expect } from 'vitest';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import { ledgerPageSchema, ledgerRecordsSchema, type LedgerRow } from '../../../../wire/ledger.ts';

/** Rows of the ledger as the owner sees them, newest first. */
export const rowsOf = async (pda: TestPda, query = ''): Promise<LedgerRow[]> => {
  const reply = await pda.call('GET', `/api/v2.6/owner/ledger?${query}`);
  expect(reply.status).toBe(200);
  return ledgerPageSchema.parse(reply.json).rows;
};

/** The newest row that an application left. */
export const newestOf = async (pda: TestPda, application = 'notes'): Promise<LedgerRow> => {
  const [row] = await rowsOf(pda, `application=${application}&take=1`);
  if (row === undefined) throw new Error('the ledger has no row');
  return row;
};

export type NamedRecord = { recordId: string; endpoint: string | null; here: boolean };

/** The records of a row, sorted by id: within a row they have no order. */
export const recordsIn = async (pda: TestPda, row: LedgerRow): Promise<NamedRecord[]> => {
  const found: NamedRecord[] = [];
  for (;;) {
    const reply = await pda.call('GET', `/api/v2.6/owner/ledger/${row.id}/records?skip=${found.length}&take=1000`);
    const { total, records } = ledgerRecordsSchema.parse(reply.json);
    found.push(...records);
    if (records.length === 0 || found.length >= total) {
      expect(found.length).toBe(total);
      return found.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1));
    }
  }
};

export const idsIn = async (pda: TestPda, row: LedgerRow): Promise<string[]> =>
  (await recordsIn(pda, row)).map((record) => record.recordId);
