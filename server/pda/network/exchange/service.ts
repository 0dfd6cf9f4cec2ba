import type { SafeFetchResult } from '../../../platform/outbound/safe-fetch.ts';
import type { PdaDisclosure } from '../../../wire/exchange.ts';
import type { Network, NetworkChange, OwnerOffer, OwnerOffers } from '../../../wire/network.ts';

/** Address of an exchange. */
export type Exchange = {
  /** Address of the service, without trailing slash. */
  url: string;
  /** Its host[:port], which tokens name as their resource. */
  host: string;
};

/** Request to an exchange. */
export type ExchangeCall = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the exchange's address, with a leading slash. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
};

/** Access of other modules to the exchange. */
export type ExchangeLink = {
  /** Returns the exchange with which this PDA is registered; undefined if it is not. */
  registered(): Exchange | undefined;
  /** Returns the public host[:port] of this PDA; undefined if there is none. */
  address(): string | undefined;
  /** Sends a request with this PDA's token. Never throws; without a registration the result is `unreachable`. */
  call(request: ExchangeCall): Promise<SafeFetchResult>;
  /** Called when the result of `registered` may have changed. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
};

/** Settings that other modules follow. */
export type NetworkSettings = {
  /** Returns the address of the contracts service, without trailing slash; undefined: none was chosen. */
  contractsUrl(): string | undefined;
  /** Returns true if the owner allows statistics. */
  areStatisticsAllowed(): boolean;
  /** Returns the address of the exchange that receives statistics; undefined: none was chosen, or the owner left it. */
  reportsTo(): string | undefined;
};

/** Operations of the owner on the network. */
export type NetworkService = ExchangeLink &
  NetworkSettings & {
    /** Returns the services and the state of the registration. */
    view(): Network;
    /** Changes the services that this PDA uses. @throws Failure invalid_input | wrong_state */
    change(change: NetworkChange): Promise<Network>;
    /** Registers or refreshes the registration now. @returns state with the result @throws Failure wrong_state */
    register(): Promise<Network>;
    /** Leaves the exchange. Retries while the exchange cannot be reached. @throws Failure wrong_state */
    leave(): Promise<Network>;
    /** Requests the data that the exchange stores about this PDA. */
    readExchangeRecord(): Promise<{ known: PdaDisclosure | null; problem: string | null }>;
  };

/** Operations of the owner on Offers. */
export type OfferService = {
  /** Returns the Offers of the exchange and the claimed Offers, newest first. */
  list(): Promise<OwnerOffers>;
  /** Claims an Offer. @throws Failure not_found | wrong_state | unavailable | already_exists | too_large */
  claim(offerId: string): Promise<OwnerOffer>;
  /**
   * Returns a page of the records that the Offer would share, as JSON text (`SharingPreview`).
   * @throws Failure not_found
   */
  preview(offerId: string, page: { skip: number; take: number }): Promise<AsyncGenerator<string>>;
};

/** Returns the numbers of waiting and delivered reports, and the time of the last delivery (Unix milliseconds). */
export type ReportCounts = () => { waiting: number; sent: number; lastSent: number | null };
