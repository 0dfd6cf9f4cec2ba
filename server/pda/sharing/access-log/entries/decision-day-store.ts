import { actOf } from '../../../../wire/access-kinds.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { EPOCH_MS, ROW_IDS_PER_MS } from '../rules.ts';

/** Returns a function that counts the owner's decisions per day, in this computer's local time. */
export const createDecisionDayCounter =
  (reader: Pick<DatabaseThread, 'all'>) => async (): Promise<{ day: string; items: number }[]> => {
    const rows = await reader.all<{ day: string; action: string; items: number }>(
      `SELECT date((ledger.id / ${ROW_IDS_PER_MS} + ${EPOCH_MS} - ledger.behind) / 1000, 'unixepoch', 'localtime') AS day,
         json_extract(ledger_shapes.shape, '$[2]') AS action, count(*) AS items
       FROM ledger JOIN ledger_shapes ON ledger_shapes.id = ledger.shape
       WHERE ledger.grp IN (SELECT id FROM ledger_groups WHERE who_kind = 'owner' AND refused = 0)
       GROUP BY 1, 2`,
    );
    const days = new Map<string, number>();
    for (const { day, action, items } of rows)
      if (actOf(action, true) === 'decision') days.set(day, (days.get(day) ?? 0) + items);
    return Array.from(days, ([day, items]) => ({ day, items }));
  };
