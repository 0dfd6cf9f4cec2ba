import type { SafeFetchResult } from '../../../platform/outbound/safe-fetch.ts';
import type { PdaDisclosure } from '../../../wire/exchange.ts';
import type { Network, NetworkChange, OwnerOffer, OwnerOffers } from '../../../wire/network.ts';

export type Exchange = {
  /** Service URL without trailing slash. */
  url: string;
  /** Host[:port], which is the resource of tokens. */
  host: string;
};

export type ExchangeCall = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the service URL, with a leading slash. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
};

export type ExchangeLink = {
  registeredExchange(): Exchange | undefined;
  /** Returns the host[:port] at which the exchange can reach this PDA; undefined if there is none. */
  address(): string | undefined;
  /**
   * Sends a request with this PDA's token. Without a registration, returns `unreachable`.
   * @throws Failure out_of_disk
   */
  call(request: ExchangeCall): Promise<SafeFetchResult>;
  /** Calls the listener when the settings or the registration may have changed. The returned function removes it. */
  onChange(listener: () => void): () => void;
};

export type NetworkService = ExchangeLink & {
  /** Returns the URL of the contracts service, without trailing slash; undefined if none was chosen. */
  contractsUrl(): string | undefined;
  areStatisticsAllowed(): boolean;
  /** Returns the URL of the exchange that receives statistics; undefined if none was chosen or the owner left it. */
  reportsTo(): string | undefined;
  view(): Network;
  /** @throws Failure invalid_input | wrong_state | out_of_disk */
  change(change: NetworkChange): Promise<Network>;
  /** Registers or refreshes immediately. @throws Failure wrong_state | out_of_disk */
  register(): Promise<Network>;
  /** Leaves the exchange. Retries until it can be reached. @throws Failure wrong_state | out_of_disk */
  leave(): Promise<Network>;
  readExchangeRecord(): Promise<{ known: PdaDisclosure | null; problem: string | null }>;
};

export type OfferService = {
  /** Returns the exchange's Offers and the claimed Offers, newest first. */
  list(): Promise<OwnerOffers>;
  /** @throws Failure not_found | wrong_state | unavailable | already_exists | too_large | rate_limited | out_of_disk */
  claim(offerId: string): Promise<OwnerOffer>;
  /**
   * Returns a page of the records that the Offer would share, as the JSON of a `SharingPreview`.
   * @throws Failure not_found | query_limit_exceeded
   */
  preview(offerId: string, page: { skip: number; take: number }): Promise<AsyncGenerator<string>>;
};

/** Returns the numbers of waiting and sent reports, and the time of the last delivery in Unix milliseconds. */
export type ReportCounts = () => { waiting: number; sent: number; lastSent: number | null };
