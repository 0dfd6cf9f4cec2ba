import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { streamList } from './list-stream.ts';

const ignore = (): Promise<void> => Promise.resolve();

describe('a streamed list', () => {
  it('is the JSON text of the list', async () => {
    const lists: unknown[][] = [[], [1], [{ a: 'b' }, null, [2]]];
    for (const items of lists) expect(await text(Readable.from(streamList(items, ignore)))).toBe(JSON.stringify(items));
  });

  it('takes large items one by one, and reports those of a chunk before its text', async () => {
    const events: string[] = [];
    function* takeItems() {
      for (const name of ['a', 'b', 'c']) {
        events.push(`take ${name}`);
        yield name.repeat(600_000);
      }
    }
    const names = (items: readonly string[]): string => items.map((item) => item.charAt(0)).join('');
    const chunks = streamList(takeItems(), (items) => {
      events.push(`report ${names(items)}`);
      return Promise.resolve();
    });
    let json = '';
    for await (const chunk of chunks) {
      events.push(`send ${chunk.length}`);
      json += chunk;
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
