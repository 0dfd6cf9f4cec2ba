import { createLateBinding } from '../../platform/service/late-binding.ts';
import { pdaRoutes } from './routes.ts';
import { createPdaService, type PdaDependents } from './service.ts';

/** Creates the module of registered PDAs. */
export const createPdaModule = (parts: Omit<Parameters<typeof createPdaService>[0], 'dependents'>) => {
  const dependents = createLateBinding<PdaDependents>('the modules that store data of PDAs');
  const pdas = createPdaService({
    ...parts,
    dependents: {
      claimsOf: (pdaId) => dependents.get().claimsOf(pdaId),
      reportsOf: (pdaId) => dependents.get().reportsOf(pdaId),
      onRegistered: (tx) => dependents.get().onRegistered(tx),
      onRemoved: (tx, pda) => dependents.get().onRemoved(tx, pda),
    },
  });
  return {
    pdas,
    /** Registers the modules that store PDA data. */
    registerDependents: dependents.register,
    routes: pdaRoutes({ pdas }),
    close: pdas.close,
  };
};
