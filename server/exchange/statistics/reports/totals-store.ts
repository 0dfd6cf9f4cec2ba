import { sql } from 'kysely';
import type { Db } from '../../storage/index.ts';
import { dayOf } from '../rules.ts';

const DAY_MS = 86_400_000;

/** `plugs` counts approved Data Plugs. `claims` is the sum over the slots of all Offers. */
export const readPlugAndClaimCounts = async (db: Db): Promise<{ plugs: number; claims: number }> => {
  const { rows } = await sql<{ plugs: number; claims: number }>`
    SELECT
      (SELECT count(*) FROM plugs WHERE approved)::bigint AS plugs,
      (SELECT coalesce(sum(taken), 0) FROM offer_slots)::bigint AS claims`.execute(db);
  return rows[0] ?? { plugs: 0, claims: 0 };
};

type ClaimDay = { day: number; claims: number; confirmed: number };

/**
 * Counts claims by the day of their creation, and confirmed claims by the day of the last report about them.
 * @param firstDay days since 1970 (UTC)
 */
export const readClaimDays = async (db: Db, firstDay: number): Promise<ClaimDay[]> => {
  const start = firstDay * DAY_MS;
  const { rows } = await sql<{ start: number; claims: number; confirmed: number }>`
    SELECT created - created % ${DAY_MS}::bigint AS start, count(*)::bigint AS claims, 0::bigint AS confirmed
    FROM offer_claims WHERE created >= ${start}::bigint GROUP BY 1
    UNION ALL
    SELECT reported - reported % ${DAY_MS}::bigint, 0::bigint, count(*)::bigint
    FROM offer_claims WHERE confirmed AND reported >= ${start}::bigint GROUP BY 1`.execute(db);
  return rows.map(({ start: dayStart, ...counts }) => ({ day: dayOf(dayStart), ...counts }));
};
