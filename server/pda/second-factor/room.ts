import type { Database } from '../storage/index.ts';
import { secondFactorRoutes } from './owner-routes.ts';
import { createSecondFactorService, type Looked, type SecondFactorParts, type Shown } from './service.ts';
import { createFactorStore } from './store.ts';

/** What the owner proves beside the password, put together. */
export const createSecondFactorRoom = ({ db, ...parts }: Omit<SecondFactorParts, 'store'> & { db: Database }) => {
  const store = createFactorStore(db);
  const service = createSecondFactorService({ ...parts, store });

  return {
    gate: {
      isAsked: store.isAsked,
      async look(shown: Shown, from: { host: string; local: boolean }, session = '') {
        const looked: Looked = await service.gate.look(shown, from, session);
        return { isRecovery: looked.isRecovery, settle: () => service.gate.settle(looked) };
      },
    },
    reset: () => service.reset(),
    routes: secondFactorRoutes({ secondFactor: service }),
    close: () => service.gate.close(),
  };
};
