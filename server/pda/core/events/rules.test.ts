import { describe, expect, it } from 'vitest';
import { mergeEvents } from './rules.ts';
import type { DataEvent } from './store.ts';

const event = (change: Partial<DataEvent>): DataEvent => ({
  kind: 'created',
  endpoint: 1,
  origin: 1,
  count: 1,
  firstSeq: 1,
  lastSeq: 1,
  seqs: null,
  bytes: 10,
  time: 1000,
  ...change,
});

describe('merging the events of one transaction', () => {
  it('merges many creations at one endpoint into one event', () => {
    const merged = mergeEvents([
      event({}),
      event({ firstSeq: 2, lastSeq: 4, count: 3, time: 1001 }),
      event({ firstSeq: 5, lastSeq: 5 }),
    ]);
    expect(merged).toStrictEqual([event({ lastSeq: 5, count: 5, bytes: 30 })]);
  });

  it('keeps endpoints and origins apart', () => {
    const events = [event({}), event({ endpoint: 2 }), event({ origin: 2 })];
    expect(mergeEvents(events)).toStrictEqual(events);
  });

  it('merges events across an event of another endpoint, whose records do not count as a gap', () => {
    expect(
      mergeEvents([event({}), event({ endpoint: 2, firstSeq: 2 }), event({ firstSeq: 3, lastSeq: 3 })]),
    ).toStrictEqual([event({ lastSeq: 3, count: 2, bytes: 20 }), event({ endpoint: 2, firstSeq: 2 })]);
  });

  it('keeps the order of events, and does not merge creations across a deletion', () => {
    const events = [event({}), event({ kind: 'deleted', bytes: -10 }), event({ firstSeq: 2, lastSeq: 2 })];
    expect(mergeEvents(events)).toStrictEqual(events);
  });

  it('does not merge updates, deletions, restorations or creations with gaps', () => {
    for (const change of [{ kind: 'updated' }, { kind: 'deleted' }, { kind: 'restored' }, { seqs: [1, 3] }] as const) {
      expect(mergeEvents([event(change), event(change)])).toHaveLength(2);
    }
  });

  it('does not modify its input', () => {
    const events = [event({}), event({ firstSeq: 2, lastSeq: 2 })];
    const inputCopy = structuredClone(events);
    mergeEvents(events);
    expect(events).toStrictEqual(inputCopy);
  });
});
