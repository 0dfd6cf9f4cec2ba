import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { RouteResponse } from '../../../platform/http/route.ts';
import { respondWithList } from './list-stream.ts';

const ignore = (): Promise<void> => Promise.resolve();

const streamOf = ({ stream }: RouteResponse): AsyncIterable<string | Buffer> => {
  if (stream === undefined) throw new Error('the list was not streamed');
  return stream;
};

describe('a list response', () => {
  it('is the JSON text of the list, streamed if it is long', async () => {
    const lists: unknown[][] = [[], [1], [{ a: 'b' }, null, [2]]];
    for (const items of lists)
      expect(await respondWithList(items, ignore)).toStrictEqual({ status: 200, text: JSON.stringify(items) });
    const longItems = ['a'.repeat(600_000), 'b'];
    const stream = streamOf(await respondWithList(longItems, ignore));
    expect(await text(Readable.from(stream))).toBe(JSON.stringify(longItems));
  });

  it('fails before the response begins if the callback fails for the first chunk', async () => {
    const refuse = (): Promise<void> => Promise.reject(new Error('disk full'));
    for (const item of ['a', 'a'.repeat(600_000)])
      await expect(respondWithList([item, 'b'], refuse)).rejects.toThrow('disk full');
  });

  it('takes large items one by one, and passes those of a chunk to the callback before the chunk is sent', async () => {
    const events: string[] = [];
    function* takeItems() {
      for (const name of ['a', 'b', 'c']) {
        events.push(`take ${name}`);
        yield name.repeat(600_000);
      }
    }
    const names = (items: readonly string[]): string => items.map((item) => item.charAt(0)).join('');
    const response = await respondWithList(takeItems(), (items) => {
      events.push(`report ${names(items)}`);
      return Promise.resolve();
    });
    let json = '';
    for await (const chunk of streamOf(response)) {
      events.push(`send ${chunk.length}`);
      json += chunk.toString();
    }
    expect(JSON.parse(json)).toStrictEqual(['a', 'b', 'c'].map((name) => name.repeat(600_000)));
    expect(events).toStrictEqual([
      'take a',
      'report a',
      'send 600003',
      'take b',
      'report b',
      'send 600003',
      'take c',
      'report c',
      'send 600003',
      'send 1',
    ]);
  });
});
