import type { Database } from '../../storage/index.ts';
import type { SecondFactorCheck, OwnerService } from '../owner/service.ts';
import { secondFactorRoutes } from './routes.ts';
import { createSecondFactorService, type SecondFactorParts } from './service.ts';
import { createFactorStore } from './store.ts';

export type SecondFactorModuleParts = Omit<SecondFactorParts, 'store'> & {
  db: Database;
  owner: Pick<OwnerService, 'setSecondFactor'>;
};

export const createSecondFactorModule = ({ db, ...parts }: SecondFactorModuleParts) => {
  const store = createFactorStore(db);
  const service = createSecondFactorService({ ...parts, store });
  const verifier: SecondFactorCheck = {
    isRequired: store.isRequired,
    async verify(secondFactor, from, session = '') {
      const verification = await service.verifier.verify(secondFactor, from, session);
      return { isRecovery: verification.isRecovery, accept: () => service.verifier.accept(verification) };
    },
  };
  parts.owner.setSecondFactor(verifier);

  return {
    verifier,
    reset: service.reset,
    routes: secondFactorRoutes({ secondFactor: service }),
    close: service.verifier.close,
  };
};
