import type { ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';

/**
 * A stream that fills the same few buffers again and again. Fresh memory for each piece of a large answer makes the collector look through the whole
 * heap every few dozen megabytes; that took a third of the time of a download.
 */
export abstract class PooledReadable extends Readable {
  /** This piece has left: its memory may be filled anew. */
  abstract giveBack(piece: Uint8Array): void;
}

/** What `pipeline` itself says of a line that went. */
const closedEarly = (): Error =>
  Object.assign(new Error('The line was closed early.'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });

/** Passes pieces on to an answer one after the other, and says of each when the system has taken it. */
export class PooledOutlet extends Writable {
  readonly #response: ServerResponse;
  readonly #giveBack: (piece: Uint8Array) => void;

  constructor(response: ServerResponse, source: PooledReadable) {
    super({ highWaterMark: source.readableHighWaterMark });
    this.#response = response;
    this.#giveBack = (piece) => source.giveBack(piece);
    response.once('close', () => {
      if (!this.writableFinished) this.destroy(closedEarly());
    });
  }

  override _write(piece: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#response.write(piece, (error) => {
      this.#giveBack(piece);
      // Whatever the system calls it.
      done(error instanceof Error ? closedEarly() : null);
    });
  }

  override _final(done: () => void): void {
    this.#response.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // What was promised did not come: the caller has to see that.
    if (error !== null) this.#response.destroy();
    done(error);
  }
}
