import { SILENT_MS, STEP_MS } from '../platform/tunnel-protocol.ts';

/** Everything that the relay bounds. A network is one IPv4 address, or the least that somebody has of IPv6 (platform/address-group.ts). */
export const RELAY_LIMITS = {
  /** Lines in all: tunnels that wait, and two for each visit. */
  connections: 40_000,
  /** Lines of one network, whatever they are for: those of some 250 PDAs that rest. */
  linesPerNetwork: 1024,
  /** Lines that have not said yet what they want. */
  opening: 2048,
  openingPerNetwork: 64,
  /** Milliseconds in which a line has to say what it wants. */
  openingMs: STEP_MS,
  /** Bytes of a ClientHello, or of the head of a request: browsers send 2 kB of the first. */
  firstBytes: 16_384,

  /** Lines of one PDA, with and without a visitor: `max_conn_count` of localtunnel. */
  connectionsPerName: 100,
  /** The same for a claim by a localtunnel client, which opens all of them before there is a visitor. */
  localtunnelConnections: 10,
  /** Some fewer, so that there is always a line to hand the next one over on. */
  visitorsPerName: 90,
  visitorsPerNetwork: 64,
  visitorBurst: 300,
  visitorIntervalMs: 20,
  /** Milliseconds that a visitor waits for a line of a PDA that is there. */
  visitorWaitMs: 5000,
  /** Milliseconds in which a PDA takes a visitor over; then another of its lines is tried. */
  goMs: 2000,
  /** Milliseconds without a byte in either direction after which a visit is over. Servers end idle lines long before. */
  visitIdleMs: 300_000,

  /** Milliseconds without a sign of life after which a waiting line is given up. */
  silentMs: SILENT_MS,
  /** Milliseconds for which a session without any line is kept: so long its PDA counts as there. */
  emptyMs: 15_000,
  /** Milliseconds between two looks for what is over. */
  sweepMs: 1000,

  /** Lines to the relay itself, and milliseconds that one lives. */
  apiPerNetwork: 32,
  apiBurst: 120,
  apiIntervalMs: 250,
  apiMs: 20_000,
  /** Claims with a proof: by network, and by name. */
  claimBurst: 60,
  claimIntervalMs: 1000,
  claimPerNameBurst: 20,
  claimPerNameIntervalMs: 3000,

  /** Names that one network may take, at once and after that one for each so many milliseconds: ten a day. */
  newNameBurst: 10,
  newNameIntervalMs: 8_640_000,
  names: 200_000,
  /** Proofs remembered until they are over. */
  usedClaims: 200_000,

  /** Milliseconds that visits under way get at a stop. */
  drainMs: 3000,
};

export type RelayLimits = typeof RELAY_LIMITS;
