import { beforeEach, afterEach, describe, expect, it } from 'vitest';
import { startTestPda, type TestPda } from '../../../tests/support/test-pda.ts';
import { silentLog } from '../../platform/log.ts';
import { rowsOf } from './accounting.test-support.ts';
import { openLedger, type TestLedger } from './ledger.test-support.ts';
import { createStrangers, type Strangers } from './strangers.ts';

const HOUR_MS = 3_600_000;
const KNOCK = { action: 'call without a valid token', status: 401, reason: 'not_authenticated' };

let opened: TestLedger;
let strangers: Strangers;
const open = (): void => {
  strangers = createStrangers({ ...opened, log: silentLog() });
};
beforeEach(() => {
  opened = openLedger();
  open();
});
afterEach(() => opened.ledger.close());

/** Over as many pages as there are. */
const rows = async () => {
  await strangers.flush();
  const found: { address: string; count: number; action: string }[] = [];
  for (let before: number | undefined; ;) {
    const page = await opened.ledger.list({ take: 999, ...(before === undefined ? {} : { before }) });
    found.push(...page.rows.map(({ address, count, action }) => ({ address, count, action })));
    if (page.next === null) return found;
    before = page.next;
  }
};
const row = (address: string, count: number) => ({ address, count, action: KNOCK.action });

describe('refused calls of strangers', () => {
  it('are one row for each address and hour, with their number and the time of the first', async () => {
    for (let times = 0; times < 5; times += 1) strangers.count(KNOCK, '203.0.113.7');
    const first = opened.clock.now();
    opened.clock.advance(1000);
    expect(await rows()).toStrictEqual([row('203.0.113.7', 5)]);
    expect((await opened.ledger.list({ take: 1 })).rows[0]?.time).toBe(new Date(first).toISOString());
    strangers.count(KNOCK, '203.0.113.7');
    strangers.count(KNOCK, '203.0.113.8');
    expect(await rows()).toStrictEqual([row('203.0.113.8', 1), row('203.0.113.7', 6)]);
    opened.clock.advance(HOUR_MS);
    strangers.count(KNOCK, '203.0.113.7');
    expect(await rows()).toStrictEqual([row('203.0.113.7', 1), row('203.0.113.8', 1), row('203.0.113.7', 6)]);
  });

  it('go on in the same row after a restart within the hour', async () => {
    strangers.count(KNOCK, '203.0.113.7');
    await strangers.close();
    opened.clock.advance(60_000);
    open();
    strangers.count(KNOCK, '203.0.113.7');
    expect(await rows()).toStrictEqual([row('203.0.113.7', 2)]);
  });

  it('from all addresses of one IPv6 network count as one', async () => {
    for (const end of ['1', '2:3', 'ffff:1:2:3']) strangers.count(KNOCK, `2001:db8:1:2::${end}`);
    strangers.count(KNOCK, '2001:db8:1:3::1');
    expect(await rows()).toStrictEqual([row('2001:db8:1:3::/64', 1), row('2001:db8:1:2::/64', 3)]);
  });

  it('stay a bounded number of rows in an hour, however many addresses they come from, and none is lost', async () => {
    const calls = 20_000;
    for (let call = 0; call < calls; call += 1) {
      strangers.count(KNOCK, `10.${call >> 16}.${(call >> 8) & 255}.${call & 255}`);
      if (call % 5000 === 0) await strangers.flush();
    }
    const found = await rows();
    expect(found.length).toBeLessThanOrEqual(102);
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(calls);
    expect(found.find(({ address }) => address === 'others')?.count).toBeGreaterThan(19_000);
    expect(opened.ledger.days(1)).toMatchObject([{ who: { kind: 'visitor' }, calls, refused: calls, records: 0 }]);
  });

  it('are tried again when they could not be written, and nothing is counted twice', async () => {
    let broken = true;
    const writer: typeof opened.writer = {
      ...opened.writer,
      write: (job) => (broken ? Promise.reject(new Error('full')) : opened.writer.write(job)),
    };
    strangers = createStrangers({ ...opened, writer, log: silentLog() });
    strangers.count(KNOCK, '203.0.113.7');
    await expect(strangers.flush()).rejects.toThrow('full');
    broken = false;
    strangers.count(KNOCK, '203.0.113.7');
    expect(await rows()).toStrictEqual([row('203.0.113.7', 2)]);
    expect(await rows()).toStrictEqual([row('203.0.113.7', 2)]);
  });
});

describe('strangers who are counted while others look', () => {
  it('are counted once', async () => {
    strangers.count(KNOCK, '203.0.113.7');
    await Promise.all([strangers.flush(), strangers.settle(), strangers.flush()]);
    strangers.count(KNOCK, '203.0.113.7');
    await Promise.all([strangers.settle(), strangers.flush()]);
    expect(await rows()).toStrictEqual([row('203.0.113.7', 2)]);
  });
});

describe('over HTTP', () => {
  let pda: TestPda;
  afterEach(() => pda.close());

  it('a flood of calls without a token is one row, also after a stop in order', async () => {
    pda = await startTestPda();
    await Promise.all(
      Array.from({ length: 300 }, (_, call) =>
        pda.call('GET', `/api/v2.6/data/a/b${call}`, { token: call % 2 === 0 ? null : 'garbage' }),
      ),
    );
    await pda.restart();
    const found = (await rowsOf(pda, 'take=999')).filter(({ who }) => who.kind === 'visitor');
    expect(found).toMatchObject([{ count: 300, address: '127.0.0.1', status: 401, outcome: 'refused' }]);
  });

  it('what needs no token is no business of the ledger', async () => {
    pda = await startTestPda();
    const before = await rowsOf(pda);
    for (const path of ['/healthz', '/publickey', '/wp-login.php', '/api/v2.6/nothing']) {
      await pda.call('GET', path, { token: null });
    }
    expect(await rowsOf(pda)).toStrictEqual(before);
  });
});
