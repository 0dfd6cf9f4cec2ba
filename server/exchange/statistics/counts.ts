import type { Clock } from '../../platform/clock.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import type { Tx } from '../storage/index.ts';
import { dayOf, type CountKind } from './rules.ts';
import { insertAddition } from './store.ts';

/** What the exchange counts of itself. */
export type OwnCount = Extract<CountKind, 'registration' | 'leaving'>;

export type Counts = {
  /** Counts what is done, in the transaction that does it. Two that are counted at the same time do not wait for each other. */
  add(tx: Tx, what: OwnCount, amount?: number): Promise<void>;
};

/** Where other rooms count. It is made before them: the statistics themselves need those rooms. */
export const createCounts = ({ clock }: { clock: Clock }): Counts => ({
  async add(tx, what, amount = 1) {
    const time = clock.now();
    await insertAddition(tx, {
      id: uuidV7(time),
      time,
      bit: null,
      counts: [{ kind: what, name: '', day: dayOf(time), amount }],
      names: [],
    });
  },
});
