import { createHash, randomBytes } from 'node:crypto';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { PooledOutlet, PooledReadable } from './pooled-stream.ts';

const PIECE = 64 * 1024;

/** Random bytes from two buffers that are filled again and again; a third would be a mistake of the test's own. */
class Source extends PooledReadable {
  readonly hash = createHash('sha256');
  readonly free = [Buffer.alloc(PIECE), Buffer.alloc(PIECE)];
  closed_ = false;
  made = 0;
  left: number;
  #waits = false;

  constructor(pieces: number) {
    super({ highWaterMark: PIECE });
    this.left = pieces;
  }
  override _read(): void {
    const buffer = this.free.pop();
    this.#waits = buffer === undefined;
    if (buffer === undefined) return;
    if (this.left === 0) {
      this.push(null);
      return;
    }
    this.left -= 1;
    this.made += 1;
    randomBytes(PIECE).copy(buffer);
    this.hash.update(buffer);
    this.push(buffer);
  }
  override giveBack(piece: Buffer<ArrayBuffer>): void {
    // Whoever still had a use for it would see this.
    piece.fill(0);
    this.free.push(piece);
    if (this.#waits) this._read();
  }
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.closed_ = true;
    done(error);
  }
}

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that answers with the source; `ended` is how that went. */
const serve = async (source: Source, length?: number) => {
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  const server = createServer((_request: IncomingMessage, response: ServerResponse) => {
    if (length !== undefined) response.setHeader('content-length', length);
    pipeline(source, new PooledOutlet(response, source)).then(() => resolve('done'), resolve);
  });
  servers.push({ close: () => server.close() });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const answer = await new Promise<IncomingMessage>((come) => get({ port, host: '127.0.0.1', agent: false }, come));
  return { answer, ended };
};

describe('an answer out of a pool', () => {
  it.each([
    ['to whoever reads fast', 0],
    ['to whoever reads slowly', 5],
  ])('arrives to the byte: %s', async (_who, pauseMs) => {
    const source = new Source(60);
    const { answer, ended } = await serve(source, 60 * PIECE);
    const hash = createHash('sha256');
    for await (const part of answer) {
      hash.update(part as Buffer);
      if (pauseMs > 0) await pause(pauseMs);
    }
    expect(await ended).toBe('done');
    expect(hash.digest('hex')).toBe(source.hash.digest('hex'));
  });

  it('fills nothing anew that has not left', async () => {
    const source = new Source(10_000);
    const { answer, ended } = await serve(source);
    answer.pause();
    let before = -1;
    // Until the line is full and nothing moves any more.
    while (source.made !== before) {
      before = source.made;
      await pause(50);
    }
    expect(source.left).toBeGreaterThan(0);
    answer.destroy();
    await ended;
  });

  it('ends with the line, and lets go of the source', async () => {
    const source = new Source(10_000);
    const { answer, ended } = await serve(source);
    answer.once('data', () => answer.destroy());
    expect(await ended).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(source.closed_).toBe(true);
  });

  it('breaks the line when the source fails: half an answer is never a whole one', async () => {
    const source = new Source(10_000);
    const { answer, ended } = await serve(source);
    answer.once('data', () => source.destroy(new Error('the disk is gone')));
    answer.on('error', () => undefined);
    answer.resume();
    await new Promise((resolve) => answer.once('close', resolve));
    expect(answer.complete).toBe(false);
    expect(await ended).toMatchObject({ message: 'the disk is gone' });
  });
});
