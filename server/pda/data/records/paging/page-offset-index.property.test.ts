import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnchors, type Anchors } from './page-offset-index.ts';

/** Reads pages from a plain list through the anchors, as the service does through an index, and leaves an anchor after each. */
class PagedList {
  readonly seqs: number[] = [];
  readonly anchors: Anchors;
  readonly endpoint: number;
  steps = 0;

  constructor(anchors: Anchors, endpoint = 1) {
    this.anchors = anchors;
    this.endpoint = endpoint;
  }

  append(count: number): void {
    for (let added = 0; added < count; added += 1) this.seqs.push((this.seqs.at(-1) ?? 0) + 1 + (this.seqs.length % 3));
  }

  remove(index: number): void {
    this.seqs.splice(index % Math.max(1, this.seqs.length), 1);
    this.anchors.drop(this.endpoint);
  }

  up(skip: number, take: number): number[] {
    const start = this.anchors.ascending(this.endpoint, skip);
    const from = start === undefined ? 0 : this.seqs.findIndex((seq) => seq > start.seq);
    const after = from === -1 ? this.seqs.length : from;
    this.steps = start?.offset ?? skip;
    const page = this.seqs.slice(after + this.steps, after + this.steps + take);
    const last = page.at(-1);
    if (last !== undefined) this.anchors.note(this.endpoint, skip + page.length, last);
    return page;
  }

  down(skip: number, take: number): number[] {
    const total = this.seqs.length;
    const start = this.anchors.descending(this.endpoint, skip, total);
    const upTo = start === undefined ? total : this.seqs.findLastIndex((seq) => seq <= start.seq) + 1;
    this.steps = start?.offset ?? skip;
    const end = Math.max(0, upTo - this.steps);
    const page = this.seqs.slice(Math.max(0, end - take), end).toReversed();
    const last = page.at(-1);
    if (last !== undefined) this.anchors.note(this.endpoint, total - (skip + page.length) + 1, last);
    return page;
  }
}

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('up' as const, 'down' as const),
      skip: fc.nat(250),
      take: fc.integer({ min: 1, max: 40 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('append' as const), count: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), index: fc.nat() }) },
);

describe('anchors', () => {
  it('lead to the same page as counting from the start, in both directions, while records come and go', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const list = new PagedList(createAnchors());
        list.append(120);
        for (const next of steps) {
          if (next.do === 'append') list.append(next.count);
          else if (next.do === 'remove') list.remove(next.index);
          else {
            const all = next.do === 'up' ? list.seqs : list.seqs.toReversed();
            expect(list[next.do](next.skip, next.take)).toStrictEqual(all.slice(next.skip, next.skip + next.take));
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('make the next page start where the last one ended', () => {
    const list = new PagedList(createAnchors());
    list.append(10_000);
    for (const direction of ['up', 'down'] as const) {
      list.anchors.drop(1);
      for (let skip = 0; skip < 10_000; skip += 100) {
        list[direction](skip, 100);
        expect(list.steps).toBeLessThanOrEqual(skip === 0 ? 0 : 1);
      }
    }
  });

  it('stay few and near, however many pages were read', () => {
    const list = new PagedList(createAnchors());
    list.append(30_000);
    for (let skip = 0; skip < 30_000; skip += 3) list.anchors.note(1, skip + 3, list.seqs[skip + 2] ?? 0);
    for (let skip = 100; skip < 30_000; skip += 997) {
      expect(list.up(skip, 5)).toStrictEqual(list.seqs.slice(skip, skip + 5));
      expect(list.steps).toBeLessThan(100);
    }
  });

  it('of many endpoints are kept apart, and those of the oldest are given up', () => {
    const anchors = createAnchors();
    for (let endpoint = 0; endpoint < 500; endpoint += 1) anchors.note(endpoint, 10, endpoint);
    expect(anchors.ascending(499, 15)).toStrictEqual({ seq: 499, offset: 5 });
    expect(anchors.ascending(0, 15)).toBeUndefined();
  });
});
