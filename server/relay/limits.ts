import { FIRST_MESSAGE_TIMEOUT_MS, SILENT_MS } from '../platform/tunnel/protocol.ts';

/**
 * Limits of the relay. A network is an IPv4 address or an IPv6 /64 (platform/limits/address-group.ts); an IPv6 /48 has
 * four times the limits of a network. `…Burst` and `…IntervalMs` define a rate limit: a burst, then one per interval.
 */
export const RELAY_LIMITS = {
  /** Connections per listening port. A forwarded client uses two: its own and a tunnel connection. */
  connections: 40_000,
  /** Connections of any kind per network. Enough for the idle connections of about 250 PDAs. */
  connectionsPerNetwork: 1024,
  /** Connections whose protocol is not yet known. */
  openingConnections: 2048,
  openingPerNetwork: 64,
  openingTimeoutMs: FIRST_MESSAGE_TIMEOUT_MS,
  /** Maximum size of a ClientHello or of a request head. Browsers send a ClientHello of about 2 kB. */
  maxFirstBytes: 16_384,

  /** Tunnel connections per PDA, idle and in use. Sent as `max_conn_count`, except to localtunnel clients. */
  connectionsPerName: 100,
  /** Sent as `max_conn_count` to localtunnel clients, which open all connections in advance. */
  localtunnelConnections: 10,
  /** Clients per PDA. Lower than `connectionsPerName`, so that an idle connection remains for the next client. */
  clientsPerName: 90,
  clientsPerNetwork: 64,
  clientBurst: 300,
  clientIntervalMs: 20,
  clientWaitMs: 5000,
  /** Time in which a PDA must accept a client. After this time, the relay tries another connection of the PDA. */
  handoverTimeoutMs: 2000,
  /** Time after which a forwarded connection without traffic is closed. Servers close idle connections much earlier. */
  clientIdleMs: 300_000,

  silentMs: SILENT_MS,
  /** Time for which a session without connections counts as online. */
  sessionGraceMs: 15_000,
  sweepIntervalMs: 1000,

  /** Connections to the relay's own API and pages. */
  apiPerNetwork: 32,
  apiBurst: 120,
  apiIntervalMs: 250,
  apiTimeoutMs: 20_000,
  claimBurst: 60,
  claimIntervalMs: 1000,
  claimPerNameBurst: 20,
  claimPerNameIntervalMs: 3000,

  /** New names per network: a burst of ten, then ten per day. */
  newNameBurst: 10,
  newNameIntervalMs: 8_640_000,
  maxNames: 200_000,
  /** Stored claims that have been used and have not expired. */
  maxUsedClaims: 200_000,

  /** Time in which forwarded connections, and then the relay's own responses, can finish when the relay stops. */
  drainMs: 3000,
};

export type RelayLimits = typeof RELAY_LIMITS;
