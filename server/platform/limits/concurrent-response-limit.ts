import type { ServerResponse } from 'node:http';
import { MAX_CONCURRENT_RESPONSES, MAX_CONCURRENT_RESPONSES_PER_NETWORK, SLOW_READER_MS } from '../../wire/limits.ts';
import { wideAddressGroup } from './address-group.ts';
import { createFairAdmission } from './fair-admission.ts';
import { Failure } from '../failure.ts';
import { createNetworkConcurrencyLimit } from './network-rate-limit.ts';

/**
 * Large answers under way to callers from outside. Each holds memory, and most of them an open file, for as long as its reader likes: there are so many to one
 * network and in all, and a reader who takes next to nothing is cut off.
 */
export type ConcurrentResponseLimit = {
  /** It counts until it has gone, or broken off. @throws Failure rate_limited */
  admit(response: ServerResponse, address: string): void;
  /** How many there are. */
  size(): number;
};

const RETRY_AFTER_SECONDS = 5;

/** Bytes that the system has taken: what is still in our hands is not gone. */
const takenOf = ({ socket }: ServerResponse): number =>
  socket === null ? 0 : socket.bytesWritten - socket.writableLength;

/** @param slowMs in which a reader has to take a piece at least; for tests */
export const createConcurrentResponseLimit = ({
  slowMs: stallMs = SLOW_READER_MS,
}: { slowMs?: number } = {}): ConcurrentResponseLimit => {
  const gate = createNetworkConcurrencyLimit({ maxConcurrent: MAX_CONCURRENT_RESPONSES_PER_NETWORK });
  const share = createFairAdmission<ServerResponse>({
    max: MAX_CONCURRENT_RESPONSES,
    onEvict: (response) => response.destroy(),
  });
  /** What each had taken, and when it last took more. */
  const progress = new Map<ServerResponse, { taken: number; at: number }>();
  let timer: NodeJS.Timeout | undefined;

  const look = (): void => {
    const now = performance.now();
    for (const [response, seen] of progress) {
      const taken = takenOf(response);
      // With nothing in our hands it is we who are slow.
      if (taken > seen.taken || response.writableLength === 0) {
        progress.set(response, { taken, at: now });
      } else if (now - seen.at >= stallMs) {
        response.destroy();
      }
    }
  };

  return {
    admit(response, address) {
      // Whoever has gone by now does not say so again: their place would be taken for ever.
      if (response.destroyed) return;
      const leave = gate.admit(address);
      if (leave === undefined || !share.admit(wideAddressGroup(address), response)) {
        leave?.();
        throw new Failure('rate_limited', 'Many answers to this network are under way. Ask again when one has ended.', {
          headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        });
      }
      progress.set(response, { taken: 0, at: performance.now() });
      timer ??= setInterval(look, stallMs / 4).unref();
      response.once('close', () => {
        leave();
        share.release(response);
        progress.delete(response);
        if (progress.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
    },
    size: share.size,
  };
};
