import { expect, it } from 'vitest';
import { anEntry, openLedger } from '../harness.test-support.ts';

it('a time range includes every access of its first and its last millisecond', async () => {
  const { ledger, writer, clock, db } = openLedger();
  try {
    const start = clock.now();
    const ids: number[][] = [];
    for (let ms = 0; ms < 4; ms += 1) {
      clock.set(start + ms);
      // Two entries in one millisecond: the id of the second one is greater than the first id of that millisecond.
      ids.push(await writer.write((tx) => [ledger.record(tx, anEntry()), ledger.record(tx, anEntry())]));
    }
    const { rows } = await ledger.list({ from: start + 1, to: start + 2, take: 100 });
    expect(rows.map(({ id }) => id)).toStrictEqual([...(ids[1] ?? []), ...(ids[2] ?? [])].toReversed());
  } finally {
    ledger.close();
    db.close();
  }
});
