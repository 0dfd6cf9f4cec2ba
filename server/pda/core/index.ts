import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Resolve } from '../../platform/outbound/dns-lookup.ts';
import { createSafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { Lifecycle } from '../../platform/service/lifecycle.ts';
import type { Storage } from '../storage/index.ts';
import { createEndpointStore } from './endpoint-store.ts';
import { createEventService } from './events/service.ts';
import { createEventStore } from './events/store.ts';
import { createHosts } from './own-addresses.ts';
import { createSequence } from './sequence.ts';
import { createSettings } from './settings-store.ts';

export type CoreParts = {
  storage: Storage;
  /** Whether this PDA may call, and be called at, addresses of this machine. */
  allowLoopback: boolean;
  /** Replaces the name service; for tests. */
  resolve: Resolve | undefined;
  lifecycle: Lifecycle;
  clock: Clock;
  log: Log;
};

/** Creates what every wing works with. */
export const createCore = (parts: CoreParts) => {
  const { storage, allowLoopback, resolve, lifecycle, clock, log } = parts;
  const { db, writer, reader, guestReader, maintenance } = storage;
  const hosts = createHosts();
  const safeFetch = createSafeFetch({ allowLoopback, ...(resolve === undefined ? {} : { resolve }) });
  lifecycle.onClose('outbound requests', () => safeFetch.close());

  return {
    db,
    writer,
    reader,
    guestReader,
    maintenance,
    events: createEventService({ store: createEventStore(db), clock }),
    endpoints: createEndpointStore(db),
    sequence: createSequence(0, clock),
    settings: createSettings(db, writer),
    hosts,
    /** host[:port] by which others reach this PDA; undefined while there is none. */
    reachableHost: (): string | undefined => hosts.reachable(allowLoopback),
    safeFetch,
    lifecycle,
    clock,
    log,
  };
};

export type Core = ReturnType<typeof createCore>;
