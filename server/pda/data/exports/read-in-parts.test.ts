import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../../tests/support/test-pda.ts';
import { createExportService } from './service.ts';

const ENDPOINT = 7;
const SELECTION = { search: '', filters: [], sorts: [], oldestFirst: true };

/** Creates an export service with five records. The fourth is deleted after the first part has been read. */
const createExports = (listedMaxRecords: number) => {
  const storedRecords = new Map([1, 2, 3, 4, 5].map((seq) => [seq, `{"n":${seq}}`]));
  const reads: string[] = [];
  const exports = createExportService({
    endpoints: {
      find: () => ENDPOINT,
      summary: (path) => ({
        id: ENDPOINT,
        path,
        records: storedRecords.size,
        bytes: 0,
        first_created: 0,
        last_created: 0,
        last_change: 0,
      }),
    },
    records: {
      findSized(seq) {
        const data = storedRecords.get(seq);
        return data === undefined
          ? undefined
          : { id: String(seq), updated: null, endpoint: ENDPOINT, bytes: data.length, data };
      },
      content: () => undefined,
      sizedChunk: () => [],
    },
    locate: () => undefined,
    table: {
      seqs() {
        reads.push('list');
        return Promise.resolve(Float64Array.from(storedRecords.keys()));
      },
      sortSeqs: () => Promise.resolve(new Float64Array()),
      async *seqParts() {
        reads.push('part 1');
        yield Promise.resolve(Float64Array.of(1, 2, 3));
        storedRecords.delete(4);
        reads.push('part 2');
        yield Promise.resolve(Float64Array.of(4, 5));
      },
    },
    owner: { isSessionAlive: () => true, onSessionChange: () => () => undefined },
    clock: createTestClock(),
    listedMaxRecords,
  });
  const download = async (sorts: { field: string; descending: boolean }[] = []): Promise<string> => {
    const request = { endpoint: 'a/b', format: 'ndjson', selection: { ...SELECTION, sorts } } as const;
    const ticket = await exports.issueTicket(request, { kind: 'owner', userId: '', sessionId: 'session' });
    return text(exports.download(ticket).stream);
  };
  return { reads, download };
};

const linesOf = (numbers: readonly number[]): string => numbers.map((n) => `{"n":${n}}\n`).join('');

describe('an export of a selection', () => {
  it('in the order of creation is read in parts if the endpoint is large, and omits deleted records', async () => {
    const { reads, download } = createExports(4);
    expect(await download()).toBe(linesOf([1, 2, 3, 5]));
    expect(reads).toEqual(['part 1', 'part 2']);
  });

  it('lists all its records at once if the endpoint has few records, or if the selection is sorted', async () => {
    const smallExports = createExports(5);
    expect(await smallExports.download()).toBe(linesOf([1, 2, 3, 4, 5]));
    const sortedExports = createExports(4);
    await sortedExports.download([{ field: 'n', descending: true }]);
    expect([smallExports.reads, sortedExports.reads]).toEqual([['list'], ['list']]);
  });
});
