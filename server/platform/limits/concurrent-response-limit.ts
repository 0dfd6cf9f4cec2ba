import type { ServerResponse } from 'node:http';
import { MAX_CONCURRENT_RESPONSES, MAX_CONCURRENT_RESPONSES_PER_NETWORK, SLOW_READER_MS } from '../../wire/limits.ts';
import { wideAddressGroup } from './address-group.ts';
import { createFairAdmission } from './fair-admission.ts';
import { Failure } from '../failure.ts';
import { createNetworkConcurrencyLimit } from './network-rate-limit.ts';

/** Limits large responses in flight: each occupies memory, and usually an open file. Closes stalled ones. */
export type ConcurrentResponseLimit = {
  /** Counts a response until it closes. @throws Failure rate_limited */
  admit(response: ServerResponse, address: string): void;
  size(): number;
};

const RETRY_AFTER_SECONDS = 5;
const CHECKS_PER_STALL_TIME = 4;

/** Returns the number of bytes that the kernel has accepted; buffered bytes do not count. */
const sentBytesOf = ({ socket }: ServerResponse): number =>
  socket === null ? 0 : socket.bytesWritten - socket.writableLength;

export const createConcurrentResponseLimit = ({
  stallMs = SLOW_READER_MS,
}: { stallMs?: number } = {}): ConcurrentResponseLimit => {
  const networkLimit = createNetworkConcurrencyLimit({ maxConcurrent: MAX_CONCURRENT_RESPONSES_PER_NETWORK });
  const admission = createFairAdmission<ServerResponse>({
    max: MAX_CONCURRENT_RESPONSES,
    onEvict: (response) => response.destroy(),
  });
  const progress = new Map<ServerResponse, { sentBytes: number; time: number }>();
  let timer: NodeJS.Timeout | undefined;

  const closeStalled = (): void => {
    const now = performance.now();
    for (const [response, previous] of progress) {
      const sentBytes = sentBytesOf(response);
      // An empty buffer means that the server is the slow side.
      if (sentBytes > previous.sentBytes || response.writableLength === 0) {
        progress.set(response, { sentBytes, time: now });
      } else if (now - previous.time >= stallMs) {
        response.destroy();
      }
    }
  };

  return {
    admit(response, address) {
      // A destroyed response emits no further `close`: its slot would never be released.
      if (response.destroyed) return;
      const releaseSlot = networkLimit.admit(address);
      if (releaseSlot === undefined || !admission.admit(wideAddressGroup(address), response)) {
        releaseSlot?.();
        throw new Failure('rate_limited', 'Too many large responses at once. Try again when one of them has ended.', {
          headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        });
      }
      progress.set(response, { sentBytes: 0, time: performance.now() });
      timer ??= setInterval(closeStalled, stallMs / CHECKS_PER_STALL_TIME).unref();
      response.once('close', () => {
        releaseSlot();
        admission.release(response);
        progress.delete(response);
        if (progress.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
    },
    size: admission.size,
  };
};
