import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anEntry, openAccessLog, recordsWith, type TestAccessLog } from '../harness.test-support.ts';
import type { AccessLogEntry } from '../service.ts';

let testLog: TestAccessLog;
beforeEach(() => {
  testLog = openAccessLog();
});
afterEach(() => {
  testLog.accessLog.close();
  testLog.db.close();
});

const write = (entry: Partial<AccessLogEntry>): Promise<number> => testLog.accessLog.write(anEntry(entry));

describe('the totals of readers within a time range', () => {
  it('include the start of the range but not its end, and leave out the owner', async () => {
    await write({ records: recordsWith(1, 2) });
    testLog.clock.advance(1000);
    const startTime = testLog.clock.now();
    await write({ records: recordsWith(1, 2, 3) });
    await write({ who: { kind: 'owner', name: '' } });
    await write({ reason: 'forbidden', status: 403, count: 5 });
    await write({ action: 'POST /api/v2.6/data/:namespace/*endpoint', records: recordsWith(9) });
    testLog.clock.advance(1000);
    await write({ records: recordsWith(1) });
    expect(await testLog.accessLog.readersBetween(startTime, testLog.clock.now())).toEqual({
      readers: [
        {
          who: { kind: 'application', name: 'notes' },
          requests: 7,
          refused: 5,
          records: 3,
          endpoints: new Map([['test/records', 3]]),
        },
      ],
      isPartial: false,
    });
  });

  it('contain the files that a user opened, but not files that are only listed or described', async () => {
    const who = { kind: 'user' as const, name: 'u-1', person: 'Grace' };
    const files = (...seqs: number[]): AccessLogEntry['records'] => new Map([['files:photos', seqs]]);
    const startTime = testLog.clock.now();
    for (const action of [
      'GET /guest',
      'GET /guest/folders/:sharedFolderId',
      'GET /guest/collections/:sharedCollectionId',
      'GET /guest/files/:fileId',
      'GET /share/:token',
      'GET /api/v2.6/files/file/:fileId',
    ])
      await write({ who, consent: null, action, records: files(1, 2, 3) });
    await write({ who, consent: null, action: 'GET /storage/:fileId', records: files(1) });
    await write({ who, consent: null, action: 'GET /guest/archive', records: files(1, 2) });
    const { readers } = await testLog.accessLog.readersBetween(startTime, startTime + 1);
    expect(readers).toEqual([{ who, requests: 8, refused: 0, records: 3, endpoints: new Map([['files:photos', 3]]) }]);
  });

  it('contain the newest name of a user', async () => {
    const user = (person: string) => ({ who: { kind: 'user' as const, name: 'u-1', person }, consent: null });
    const startTime = testLog.clock.now();
    await write(user('Grace'));
    await write(user('Hopper'));
    const { readers } = await testLog.accessLog.readersBetween(startTime, startTime + 1);
    expect(readers.map(({ who, requests }) => [who, requests])).toEqual([[user('Hopper').who, 2]]);
  });
});
