import { beforeEach, afterEach, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import { startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { silentLog } from '../../../../platform/log.ts';
import type { LedgerRow } from '../../../../wire/ledger.ts';
import { rowsOf } from './access-recorder.test-support.ts';
import { anEntry, openAccessLog, type TestAccessLog } from '../harness.test-support.ts';
import { createRefusals, type Refusals } from './refusals.ts';

const HOUR_MS = 3_600_000;
const ATTEMPT = { action: 'call without a valid token', status: 401, reason: 'not_authenticated' };

let testLog: TestAccessLog;
let refusals: Refusals;
const openRefusals = (): void => {
  refusals = createRefusals({ ...testLog, ledger: testLog.accessLog, log: silentLog() });
};
beforeEach(() => {
  testLog = openAccessLog();
  openRefusals();
});
afterEach(() => testLog.accessLog.close());

const allEntries = async (): Promise<LedgerRow[]> => {
  const entries: LedgerRow[] = [];
  for (let before: number | undefined; ;) {
    const page = await testLog.accessLog.list({ take: 999, ...(before === undefined ? {} : { before }) });
    entries.push(...page.rows);
    if (page.next === null) return entries;
    before = page.next;
  }
};
const flushedRows = async () => {
  await refusals.flush();
  return (await allEntries()).map(({ address, count, action }) => ({ address, count, action }));
};
const expectedRow = (address: string, count: number) => ({ address, count, action: ATTEMPT.action });

describe('refused requests of anonymous callers', () => {
  it('share a row per address and hour, with a count and the time of the first request', async () => {
    for (let times = 0; times < 5; times += 1) refusals.count(ATTEMPT, '203.0.113.7');
    const firstTime = testLog.clock.now();
    testLog.clock.advance(1000);
    expect(await flushedRows()).toStrictEqual([expectedRow('203.0.113.7', 5)]);
    expect((await testLog.accessLog.list({ take: 1 })).rows[0]?.time).toBe(new Date(firstTime).toISOString());
    refusals.count(ATTEMPT, '203.0.113.7');
    refusals.count(ATTEMPT, '203.0.113.8');
    expect(await flushedRows()).toStrictEqual([expectedRow('203.0.113.8', 1), expectedRow('203.0.113.7', 6)]);
    testLog.clock.advance(HOUR_MS);
    refusals.count(ATTEMPT, '203.0.113.7');
    expect(await flushedRows()).toStrictEqual([
      expectedRow('203.0.113.7', 1),
      expectedRow('203.0.113.8', 1),
      expectedRow('203.0.113.7', 6),
    ]);
  });

  it('are counted in the same row after a restart within the hour', async () => {
    refusals.count(ATTEMPT, '203.0.113.7');
    await refusals.close();
    testLog.clock.advance(60_000);
    openRefusals();
    refusals.count(ATTEMPT, '203.0.113.7');
    expect(await flushedRows()).toStrictEqual([expectedRow('203.0.113.7', 2)]);
  });

  it('share a row for all addresses of one IPv6 network', async () => {
    for (const suffix of ['1', '2:3', 'ffff:1:2:3']) refusals.count(ATTEMPT, `2001:db8:1:2::${suffix}`);
    refusals.count(ATTEMPT, '2001:db8:1:3::1');
    expect(await flushedRows()).toStrictEqual([
      expectedRow('2001:db8:1:3::/64', 1),
      expectedRow('2001:db8:1:2::/64', 3),
    ]);
  });

  it('take at most 101 rows per hour for any number of addresses, without losing a count', async () => {
    const requestCount = 20_000;
    for (let call = 0; call < requestCount; call += 1) {
      refusals.count(ATTEMPT, `10.${call >> 16}.${(call >> 8) & 255}.${call & 255}`);
      if (call % 5000 === 0) await refusals.flush();
    }
    const entries = await flushedRows();
    expect(entries.length).toBeLessThanOrEqual(101);
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(requestCount);
    expect(entries.find(({ address }) => address === 'others')?.count).toBeGreaterThan(19_000);
    expect(testLog.accessLog.days(1)).toMatchObject([
      { who: { kind: 'visitor' }, calls: requestCount, refused: requestCount, records: 0 },
    ]);
  });

  it('are written by the next flush after a failed write, and are not counted twice', async () => {
    let isDiskFailing = true;
    const writer: typeof testLog.writer = {
      ...testLog.writer,
      write: (job) => (isDiskFailing ? Promise.reject(new Error('full')) : testLog.writer.write(job)),
    };
    refusals = createRefusals({ ...testLog, ledger: testLog.accessLog, writer, log: silentLog() });
    refusals.count(ATTEMPT, '203.0.113.7');
    await expect(refusals.flush()).rejects.toThrow('full');
    isDiskFailing = false;
    refusals.count(ATTEMPT, '203.0.113.7');
    expect(await flushedRows()).toStrictEqual([expectedRow('203.0.113.7', 2)]);
    expect(await flushedRows()).toStrictEqual([expectedRow('203.0.113.7', 2)]);
  });
});

describe('refused requests of known principals', () => {
  const aRefusedEntry = (action: string, endpoint: string, name = 'notes') => ({
    ...anEntry({ who: { kind: 'application', name }, action, status: 403, consent: null, address: '203.0.113.7' }),
    records: new Map([[endpoint, []]]),
    reason: 'forbidden',
  });
  const READ = 'GET /api/v2.6/data/:namespace/*endpoint';

  it('share a row per route, endpoint and hour, with a count and the times of the first and last request', async () => {
    const firstTime = testLog.clock.now();
    await refusals.recordRefusal(aRefusedEntry(READ, 'finance/accounts'));
    expect(await allEntries()).toMatchObject([{ count: 1, last: null }]);
    for (let times = 0; times < 3; times += 1) {
      testLog.clock.advance(1000);
      await refusals.recordRefusal(aRefusedEntry(READ, 'finance/accounts'));
    }
    await refusals.recordRefusal(aRefusedEntry(READ, 'finance/cards'));
    await refusals.recordRefusal(aRefusedEntry('DELETE /api/v2.6/data/:namespace/*endpoint', 'finance/accounts'));
    await refusals.recordRefusal(aRefusedEntry(READ, 'finance/accounts', 'steps'));
    expect((await allEntries()).toReversed()).toMatchObject([
      {
        who: { kind: 'application', name: 'notes' },
        action: READ,
        endpoints: ['finance/accounts'],
        reason: 'forbidden',
        address: '203.0.113.7',
        count: 4,
        time: new Date(firstTime).toISOString(),
        last: new Date(firstTime + 3000).toISOString(),
      },
      { endpoints: ['finance/cards'], count: 1 },
      { action: 'DELETE /api/v2.6/data/:namespace/*endpoint', count: 1 },
      { who: { name: 'steps' }, count: 1 },
    ]);
    testLog.clock.advance(HOUR_MS);
    await refusals.recordRefusal(aRefusedEntry(READ, 'finance/accounts'));
    expect((await allEntries())[0]).toMatchObject({ endpoints: ['finance/accounts'], count: 1, last: null });
  });

  it('count as the last use by their principal, even if an earlier row counts them', async () => {
    for (const endpoint of ['finance/accounts', 'finance/cards', 'finance/accounts']) {
      testLog.clock.advance(1000);
      await refusals.recordRefusal(aRefusedEntry(READ, endpoint));
    }
    const now = testLog.clock.now();
    expect(testLog.accessLog.summarisePrincipal('application', 'notes').lastUsed).toBe(now);
    expect(testLog.accessLog.lastRequests().get('notes')).toBe(now);
  });

  it('are durable before the response, and are counted in the same row after a restart', async () => {
    await Promise.all(
      Array.from({ length: 20 }, () => refusals.recordRefusal(aRefusedEntry(READ, 'finance/accounts'))),
    );
    // Simulates a crash: the new instance sees only committed entries.
    openRefusals();
    expect(await allEntries()).toMatchObject([{ count: 20 }]);
    await refusals.recordRefusal(aRefusedEntry(READ, 'finance/accounts'));
    expect(await allEntries()).toMatchObject([{ count: 21 }]);
  });

  it('take at most 101 rows per principal and hour for any number of endpoints, without losing a count', async () => {
    for (let index = 0; index < 500; index += 1) await refusals.recordRefusal(aRefusedEntry(READ, `made-up/${index}`));
    await refusals.recordRefusal(aRefusedEntry(READ, 'finance/accounts', 'steps'));
    const entries = await allEntries();
    expect(entries).toHaveLength(102);
    expect(entries[0]).toMatchObject({ who: { name: 'steps' }, endpoints: ['finance/accounts'], count: 1 });
    expect(entries[1]).toMatchObject({ action: READ, endpoints: [], address: 'others', count: 400 });
    expect(testLog.accessLog.summarisePrincipal('application', 'notes').refused).toBe(500);
  });

  it('are not acknowledged if the write fails, and are counted later', async () => {
    let isDiskFailing = true;
    const writer: typeof testLog.writer = {
      ...testLog.writer,
      write: (job) => (isDiskFailing ? Promise.reject(new Error('full')) : testLog.writer.write(job)),
    };
    refusals = createRefusals({ ...testLog, ledger: testLog.accessLog, writer, log: silentLog() });
    await expect(refusals.recordRefusal(aRefusedEntry(READ, 'finance/accounts'))).rejects.toThrow('full');
    isDiskFailing = false;
    await refusals.flushBeforeRead();
    expect(await allEntries()).toMatchObject([{ count: 1 }]);
  });
});

describe('a flush that runs during a read', () => {
  it('counts each refused request once', async () => {
    refusals.count(ATTEMPT, '203.0.113.7');
    await Promise.all([refusals.flush(), refusals.flushBeforeRead(), refusals.flush()]);
    refusals.count(ATTEMPT, '203.0.113.7');
    await Promise.all([refusals.flushBeforeRead(), refusals.flush()]);
    expect(await flushedRows()).toStrictEqual([expectedRow('203.0.113.7', 2)]);
  });
});

describe('the access log over HTTP', () => {
  let pda: TestPda;
  afterEach(() => pda.close());

  it('counts a flood of requests without a valid token in one row, even after a restart', async () => {
    pda = await startTestPda();
    await Promise.all(
      Array.from({ length: 300 }, (_, call) =>
        pda.call('GET', `/api/v2.6/data/a/b${call}`, { token: call % 2 === 0 ? null : 'garbage' }),
      ),
    );
    await pda.restart();
    const entries = (await rowsOf(pda, 'take=999')).filter(({ who }) => who.kind === 'visitor');
    expect(entries).toMatchObject([{ count: 300, address: '127.0.0.1', status: 401, outcome: 'refused' }]);
  });

  it('counts a flood of refused requests of an application in one row, even after a restart', async () => {
    pda = await startTestPda({ config: { applications: [anApplication()] } });
    const token = await setUpApplication(pda, 'notes');
    const path = '/api/v2.6/data/finance/accounts';
    const replies = await Promise.all(Array.from({ length: 200 }, () => pda.call('GET', path, { token })));
    expect(new Set(replies.map(({ status }) => status))).toStrictEqual(new Set([403]));
    await pda.restart();
    await pda.call('GET', path, { token });
    expect(await rowsOf(pda, 'application=notes&outcome=refused&take=999')).toMatchObject([
      { count: 201, status: 403, reason: 'forbidden', endpoints: ['finance/accounts'], address: '127.0.0.1' },
    ]);
  });

  it('does not contain anonymous requests to public and unknown routes', async () => {
    pda = await startTestPda();
    const initialRows = await rowsOf(pda);
    for (const path of ['/healthz', '/publickey', '/wp-login.php', '/api/v2.6/nothing']) {
      await pda.call('GET', path, { token: null });
    }
    expect(await rowsOf(pda)).toStrictEqual(initialRows);
  });
});
