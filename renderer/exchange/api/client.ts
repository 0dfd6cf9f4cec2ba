import type { ExchangeApi } from '../../../server/exchange/exchange.ts';
import { callsOf } from '../../api/client.ts';

/** One call of the exchange: `call('GET /api/accounts', {})`. */
export const call = callsOf<ExchangeApi>();

export type Answer<R extends keyof ExchangeApi> = ExchangeApi[R]['response'];

export type Pda = Answer<'GET /api/pdas'>[number];
export type Listed = Answer<'GET /api/applications/listed'>[number];
export type Offer = Answer<'GET /api/v2/offers'>[number];
export type Plug = Answer<'GET /api/dataplugs'>[number];
export type Account = Answer<'GET /api/accounts'>[number];
export type Day = Answer<'GET /api/statistics/daily'>[number];
export type Namespace = Answer<'GET /stats/available-data'>[number];
export type AuditLine = Answer<'GET /api/audit'>[number];
