import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { PdaService } from '../pdas/service.ts';
import type { Audit, Database } from '../storage/index.ts';
import { createClaimService } from './claims/service.ts';
import { openClaimCredentials } from './claims/credentials.ts';
import { offerRoutes } from './routes.ts';
import { createOfferService } from './service.ts';
import { createClaimNotifier, type TokenForPda } from './claims/notifier.ts';

export type OfferModuleParts = {
  database: Database;
  audit: Audit;
  pdas: Pick<PdaService, 'findAt'>;
  tokenForPda: TokenForPda;
  fetch: SafeFetch;
  /** Key for deriving claim passwords. If undefined, a secret is generated and stored in the database. */
  secret: string | undefined;
  clock: Clock;
  log: Log;
};

/** Creates the module of Offers and claims. @throws Error if existing claims use another secret */
export const createOfferModule = async (parts: OfferModuleParts) => {
  const credentials = await openClaimCredentials(parts);
  const claims = createClaimService({ ...parts, credentials });
  const offers = createOfferService({ ...parts, claims, notifyPda: createClaimNotifier(parts) });
  return {
    offers,
    applyDebitReport: claims.applyReport,
    claimsOf: claims.claimsOf,
    forgetPda: claims.forgetPda,
    routes: offerRoutes({ offers }),
  };
};
