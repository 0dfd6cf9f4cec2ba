import type { Database } from '../storage/index.ts';
import { secondFactorRoutes } from './owner-routes.ts';
import type { Looked, SecondFactorParts, SecondFactorService, Shown } from './service.ts';
import { createFactorStore } from './store.ts';

/** What the owner proves beside the password, put together. Its working parts are loaded when somebody shows or changes something. */
export const createSecondFactorRoom = ({ db, ...parts }: Omit<SecondFactorParts, 'store'> & { db: Database }) => {
  const store = createFactorStore(db);
  let made: Promise<SecondFactorService> | undefined;
  const make = async (): Promise<SecondFactorService> =>
    (await import('./service.ts')).createSecondFactorService({ ...parts, store });
  const service = (): Promise<SecondFactorService> => (made ??= make());

  return {
    gate: {
      isAsked: store.isAsked,
      async look(shown: Shown, from: { host: string; local: boolean }, session = '') {
        const { gate } = await service();
        const looked: Looked = gate.look(shown, from, session);
        return { isRecovery: looked.isRecovery, settle: () => gate.settle(looked) };
      },
    },
    reset: async () => (await service()).reset(),
    routes: secondFactorRoutes({ secondFactor: service }),
    async close(): Promise<void> {
      (await made)?.gate.close();
    },
  };
};
