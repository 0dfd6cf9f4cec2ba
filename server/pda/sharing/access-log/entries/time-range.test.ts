import { expect, it } from 'vitest';
import { anEntry, openAccessLog } from '../harness.test-support.ts';

it('a time range includes every access in its first and last milliseconds', async () => {
  const { accessLog, writer, clock, db } = openAccessLog();
  try {
    const start = clock.now();
    const ids: number[][] = [];
    for (let ms = 0; ms < 4; ms += 1) {
      clock.set(start + ms);
      // Two entries in one millisecond: the id of the second entry is greater than the first id of that millisecond.
      ids.push(await writer.write((tx) => [accessLog.record(tx, anEntry()), accessLog.record(tx, anEntry())]));
    }
    const { rows } = await accessLog.list({ from: start + 1, to: start + 2, take: 100 });
    expect(rows.map(({ id }) => id)).toStrictEqual([...(ids[1] ?? []), ...(ids[2] ?? [])].toReversed());
  } finally {
    accessLog.close();
    db.close();
  }
});
