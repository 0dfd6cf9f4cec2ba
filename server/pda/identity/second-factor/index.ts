import type { Database } from '../../storage/index.ts';
import type { OwnersGate, OwnerService } from '../owner/service.ts';
import { secondFactorRoutes } from './routes.ts';
import { createSecondFactorService, type SecondFactorParts } from './service.ts';
import { createFactorStore } from './store.ts';

export type SecondFactorRoomParts = Omit<SecondFactorParts, 'store'> & {
  db: Database;
  owner: Pick<OwnerService, 'setSecondFactor'>;
};

/** Creates the second factor and registers it with the owner's sign-in. */
export const createSecondFactorRoom = ({ db, ...parts }: SecondFactorRoomParts) => {
  const store = createFactorStore(db);
  const service = createSecondFactorService({ ...parts, store });
  const gate: OwnersGate = {
    isAsked: store.isAsked,
    async look(shown, from, session = '') {
      const looked = await service.gate.look(shown, from, session);
      return { isRecovery: looked.isRecovery, settle: () => service.gate.settle(looked) };
    },
  };
  parts.owner.setSecondFactor(gate);

  return {
    gate,
    reset: () => service.reset(),
    routes: secondFactorRoutes({ secondFactor: service }),
    close: () => service.gate.close(),
  };
};
