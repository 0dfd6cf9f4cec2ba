import type { Clock } from '../../platform/clock.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import type { Tx } from '../storage/index.ts';
import { dayOf } from './rules.ts';
import { insertAddition } from './store.ts';

export type Counts = ReturnType<typeof createCounts>;

export const createCounts = ({ clock }: { clock: Clock }) => ({
  /** Counts an event within the transaction that causes it. Concurrent counts do not wait for each other. */
  async add(tx: Tx, kind: 'registration' | 'leaving'): Promise<void> {
    const time = clock.now();
    await insertAddition(tx, {
      id: uuidV7(time),
      time,
      bit: null,
      counts: [{ kind, name: '', day: dayOf(time), amount: 1 }],
      names: [],
    });
  },
});
