import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Resolver } from '../../platform/outbound/dns-lookup.ts';
import { createSafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { Lifecycle } from '../../platform/service/lifecycle.ts';
import type { Storage } from '../storage/index.ts';
import { createEndpointStore } from './endpoint-store.ts';
import { createEventService } from './events/service.ts';
import { createEventStore } from './events/store.ts';
import { createOwnAddresses } from './own-addresses.ts';
import { createSequence } from './sequence.ts';
import { createSettings } from './settings-store.ts';

type CoreParts = {
  storage: Storage;
  /** True if this PDA may send requests to loopback addresses and be reached at them. */
  allowLoopback: boolean;
  /** Replaces the DNS resolver; for tests. */
  resolve: Resolver | undefined;
  lifecycle: Lifecycle;
  clock: Clock;
  log: Log;
};

/** Creates the services that all parts of the server share. */
export const createCore = (parts: CoreParts) => {
  const { storage, allowLoopback, resolve, lifecycle, clock, log } = parts;
  const { db, writer, reader, nonOwnerThread, maintenance } = storage;
  const ownAddresses = createOwnAddresses();
  const safeFetch = createSafeFetch({ allowLoopback, ...(resolve === undefined ? {} : { resolve }) });
  lifecycle.onClose('outbound requests', () => safeFetch.close());

  return {
    db,
    writer,
    reader,
    nonOwnerThread,
    maintenance,
    events: createEventService({ store: createEventStore(db), clock }),
    endpoints: createEndpointStore(db),
    sequence: createSequence(0, clock),
    settings: createSettings(db, writer),
    ownAddresses,
    /** Returns the host[:port] under which other servers reach this PDA; undefined if there is none. */
    reachableHost: (): string | undefined => ownAddresses.reachableHost(allowLoopback),
    safeFetch,
    lifecycle,
    clock,
    log,
  };
};

export type Core = ReturnType<typeof createCore>;
