import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPageOffsetIndex, type PageOffsetIndex } from './page-offset-index.ts';

/** A list of sequence numbers that is read in pages through a page-offset index, to which each read adds an entry. */
class PagedList {
  readonly seqs: number[] = [];
  readonly pageOffsets: PageOffsetIndex;
  readonly endpoint: number;
  /** Records that the last read skipped, one by one. */
  skippedCount = 0;

  constructor(pageOffsets: PageOffsetIndex, endpoint = 1) {
    this.pageOffsets = pageOffsets;
    this.endpoint = endpoint;
  }

  append(count: number): void {
    for (let addedCount = 0; addedCount < count; addedCount += 1)
      this.seqs.push((this.seqs.at(-1) ?? 0) + 1 + (this.seqs.length % 3));
  }

  remove(index: number): void {
    this.seqs.splice(index % Math.max(1, this.seqs.length), 1);
    this.pageOffsets.drop(this.endpoint);
  }

  readAscending(skip: number, take: number): number[] {
    const start = this.pageOffsets.findAscending(this.endpoint, skip);
    const foundIndex = start === undefined ? 0 : this.seqs.findIndex((seq) => seq > start.seq);
    const startIndex = foundIndex === -1 ? this.seqs.length : foundIndex;
    this.skippedCount = start?.offset ?? skip;
    const page = this.seqs.slice(startIndex + this.skippedCount, startIndex + this.skippedCount + take);
    const lastSeq = page.at(-1);
    if (lastSeq !== undefined) this.pageOffsets.add(this.endpoint, skip + page.length, lastSeq);
    return page;
  }

  readDescending(skip: number, take: number): number[] {
    const total = this.seqs.length;
    const start = this.pageOffsets.findDescending(this.endpoint, skip, total);
    const upTo = start === undefined ? total : this.seqs.findLastIndex((seq) => seq <= start.seq) + 1;
    this.skippedCount = start?.offset ?? skip;
    const end = Math.max(0, upTo - this.skippedCount);
    const page = this.seqs.slice(Math.max(0, end - take), end).toReversed();
    const lastSeq = page.at(-1);
    if (lastSeq !== undefined) this.pageOffsets.add(this.endpoint, total - (skip + page.length) + 1, lastSeq);
    return page;
  }
}

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('readAscending' as const, 'readDescending' as const),
      skip: fc.nat(250),
      take: fc.integer({ min: 1, max: 40 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('append' as const), count: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), index: fc.nat() }) },
);

describe('the page-offset index', () => {
  it('returns the same pages as counting from the start, in both directions, after additions and removals', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const list = new PagedList(createPageOffsetIndex());
        list.append(120);
        for (const operation of steps) {
          if (operation.do === 'append') list.append(operation.count);
          else if (operation.do === 'remove') list.remove(operation.index);
          else {
            const orderedSeqs = operation.do === 'readAscending' ? list.seqs : list.seqs.toReversed();
            expect(list[operation.do](operation.skip, operation.take)).toStrictEqual(
              orderedSeqs.slice(operation.skip, operation.skip + operation.take),
            );
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('starts the next page where the last page ended', () => {
    const list = new PagedList(createPageOffsetIndex());
    list.append(10_000);
    for (const direction of ['readAscending', 'readDescending'] as const) {
      list.pageOffsets.drop(1);
      for (let skip = 0; skip < 10_000; skip += 100) {
        list[direction](skip, 100);
        expect(list.skippedCount).toBeLessThanOrEqual(skip === 0 ? 0 : 1);
      }
    }
  });

  it('keeps an entry near every page after many entries were added and evicted', () => {
    const list = new PagedList(createPageOffsetIndex());
    list.append(30_000);
    for (let skip = 0; skip < 30_000; skip += 3) list.pageOffsets.add(1, skip + 3, list.seqs[skip + 2] ?? 0);
    for (let skip = 100; skip < 30_000; skip += 997) {
      expect(list.readAscending(skip, 5)).toStrictEqual(list.seqs.slice(skip, skip + 5));
      expect(list.skippedCount).toBeLessThan(100);
    }
  });

  it('keeps entries per endpoint and evicts the entries of the oldest endpoint', () => {
    const pageOffsets = createPageOffsetIndex();
    for (let endpoint = 0; endpoint < 500; endpoint += 1) pageOffsets.add(endpoint, 10, endpoint);
    expect(pageOffsets.findAscending(499, 15)).toStrictEqual({ seq: 499, offset: 5 });
    expect(pageOffsets.findAscending(0, 15)).toBeUndefined();
  });
});
