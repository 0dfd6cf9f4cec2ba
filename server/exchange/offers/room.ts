import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import type { PdaService } from '../pdas/service.ts';
import type { Audit, Database } from '../storage/index.ts';
import { createClaims } from './claims.ts';
import { openClaimCredentials } from './credentials.ts';
import { offerRoutes } from './routes.ts';
import { createOfferService } from './service.ts';
import { createTelling, type TokenForPda } from './telling.ts';

export type OfferRoomParts = {
  database: Database;
  audit: Audit;
  pdas: Pick<PdaService, 'findAt'>;
  tokenForPda: TokenForPda;
  fetch: SafeFetch;
  /** EXCHANGE_SECRET: what the passwords of claims are derived from. Without it a secret is kept in the database. */
  secret: string | undefined;
  clock: Clock;
  log: Log;
};

/** Offers and their claims, put together. @throws when the secret is not the one that the database's claims were made with */
export const createOfferRoom = async (parts: OfferRoomParts) => {
  const credentials = await openClaimCredentials(parts);
  const claims = createClaims({ ...parts, credentials });
  const offers = createOfferService({ ...parts, claims, tell: createTelling(parts) });
  return {
    offers,
    /** For the rooms of statistics and PDAs: each acts in their transaction. */
    confirmation: claims.confirmation,
    claimsOf: claims.claimsOf,
    forgetPda: claims.forgetPda,
    routes: offerRoutes({ offers }),
  };
};
