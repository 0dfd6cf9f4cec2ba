import type { ExchangeApi } from '../../../server/exchange/exchange.ts';
import { createCall } from '../../shared/api/client.ts';

/** Sends a request to the exchange: `call('GET /api/accounts', {})`. */
export const call = createCall<ExchangeApi>();

export type ResponseOf<R extends keyof ExchangeApi> = ExchangeApi[R]['response'];

export type Pda = ResponseOf<'GET /api/pdas'>[number];
export type ListedApplication = ResponseOf<'GET /api/applications/listed'>[number];
export type Offer = ResponseOf<'GET /api/v2/offers'>[number];
export type Plug = ResponseOf<'GET /api/dataplugs'>[number];
export type Account = ResponseOf<'GET /api/accounts'>[number];
export type DailyStatistics = ResponseOf<'GET /api/statistics/daily'>[number];
export type AvailableNamespace = ResponseOf<'GET /stats/available-data'>[number];
export type AuditEntry = ResponseOf<'GET /api/audit'>[number];
