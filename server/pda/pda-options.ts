import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Resolve } from '../platform/safe-fetch.ts';
import type { FunctionRoomParts } from './functions/room.ts';
import type { TunnelRoomParts } from './tunnel/room.ts';

/** What a PDA is made with. */
export type PdaOptions = {
  /** The home folder: made when it is not there. */
  home: string;
  log: Log;
  clock?: Clock;
  /** Overrides `publicUrl` of config.json. */
  publicUrl?: string;
  /** Folder of the built dashboard. */
  pages?: string;
  /** Folder of the built guide. */
  docs?: string;
  /** Holds every answer against its declaration; for tests. */
  strict?: boolean;
  /** Stands in for the sandbox, and lets the engine wait for less; for tests. */
  functions?: Pick<FunctionRoomParts, 'host' | 'pace' | 'elsewhereMs'>;
  /** The network as calls to addresses that others chose find it; for tests. `resolve` stands in for the name service. */
  network?: { allowLoopback?: boolean; resolve?: Resolve };
  /** Everything is erased as soon as this is closed and made again; without it nobody can ask for that. */
  onEraseEverything?: () => void;
  /** Stand-ins for what the tunnel waits by, and where certificates come from; for tests. */
  tunnel?: Pick<TunnelRoomParts, 'timers' | 'createCertificates' | 'random'>;
};
