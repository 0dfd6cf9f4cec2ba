import type { SafeFetchResult } from '../../../platform/outbound/safe-fetch.ts';
import type { KnownOfPda } from '../../../wire/exchange.ts';
import type { Network, NetworkChange, OwnerOffer, OwnerOffers } from '../../../wire/network.ts';

/** The exchange that the owner chose, as other rooms may use it. */
export type Exchange = {
  /** Address of the service, without an end slash. */
  url: string;
  /** Its host[:port]: what tokens for it name. */
  host: string;
};

export type ExchangeCall = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the exchange's address, with a slash before it. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
};

/** What other rooms may do with the exchange. */
export type ExchangeLink = {
  /** The exchange at which this PDA is registered now; undefined: there is none. */
  registered(): Exchange | undefined;
  /** Address by which others reach this PDA (host[:port]); undefined while there is none. */
  address(): string | undefined;
  /** A call with this PDA's token. Never throws; that there is nobody to call is `unreachable`. */
  call(wanted: ExchangeCall): Promise<SafeFetchResult>;
  /** Hears of each change after which `registered` may answer otherwise. Returns how to stop. */
  onChange(listener: () => void): () => void;
};

/** Settings of the network, also those that are other rooms' to follow. */
export type NetworkSettings = {
  /** Of the contracts service, without an end slash; undefined: none was chosen. */
  contractsUrl(): string | undefined;
  /** Whether the owner lets this PDA report statistics. */
  reportsOn(): boolean;
  /** The exchange that reports are for; undefined: none was chosen, or was left. */
  reportsTo(): string | undefined;
};

/** What the owner sees and does about the network. */
export type NetworkService = ExchangeLink &
  NetworkSettings & {
    view(): Network;
    /** @throws Failure invalid_input | wrong_state */
    change(change: NetworkChange): Promise<Network>;
    /** Registers, or refreshes, now; what came of it is in the answer. @throws Failure wrong_state */
    register(): Promise<Network>;
    /** Leaves the exchange: at once where it answers, else as soon as it does. @throws Failure wrong_state */
    leave(): Promise<Network>;
    /** What the exchange says that it knows. */
    known(): Promise<{ known: KnownOfPda | null; problem: string | null }>;
  };

export type OfferService = {
  list(): Promise<OwnerOffers>;
  /** @throws Failure not_found | wrong_state | unavailable | already_exists | too_large */
  claim(offerId: string): Promise<OwnerOffer>;
  /** What it would share, page by page; JSON text (`SharingPreview`). @throws Failure not_found */
  preview(offerId: string, page: { skip: number; take: number }): Promise<AsyncGenerator<string>>;
};

/** Reports that wait and that were delivered, as the room that sends them counts them. */
export type ReportCounts = () => { waiting: number; sent: number; lastSent: number | null };
