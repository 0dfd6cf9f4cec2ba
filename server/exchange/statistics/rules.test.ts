import { describe, expect, it } from 'vitest';
import { bitOf, dayOf, firstRetainedDay, sortNames, isCounted, tally, withBits } from './rules.ts';
import { statsOf, debitEvent, inboundEvent, outboundEvent } from './statistics.test-support.ts';

const DAY_MS = 86_400_000;
const ALLOWANCE = { valuesIn: 1e9, valuesOut: 1e9 };
const NOW = 1_800_000_000_000;

describe('tally', () => {
  it('adds up values by direction and day, and inbound values by application', () => {
    const { counts, used } = tally(
      [
        inboundEvent(1, NOW, [statsOf('a/b', { x: 2, y: 3 }), statsOf('a/c', { x: 1 })], 'FitBit'),
        inboundEvent(2, NOW - DAY_MS, [statsOf('a/b', { x: 4 })], 'unheard-of'),
        outboundEvent(3, NOW, [statsOf('a/b', { x: 7 })]),
        debitEvent(4, NOW, 'Enable'),
      ],
      new Set(['fitbit']),
      ALLOWANCE,
    );
    const day = dayOf(NOW);
    expect(counts).toEqual([
      { kind: 'events.in', name: '', day, amount: 1 },
      { kind: 'values.in', name: '', day, amount: 6 },
      { kind: 'application', name: 'fitbit', day, amount: 6 },
      { kind: 'events.in', name: '', day: day - 1, amount: 1 },
      { kind: 'values.in', name: '', day: day - 1, amount: 4 },
      { kind: 'application', name: 'other', day: day - 1, amount: 4 },
      { kind: 'events.out', name: '', day, amount: 1 },
      { kind: 'values.out', name: '', day, amount: 7 },
      { kind: 'events.debit', name: '', day, amount: 1 },
    ]);
    expect(used).toEqual({ valuesIn: 10, valuesOut: 7 });
  });

  it('names each inbound endpoint and field once', () => {
    const { names } = tally(
      [
        inboundEvent(1, NOW, [statsOf('a/b', { x: 2 })]),
        inboundEvent(2, NOW, [statsOf('a/b', { x: 3 })]),
        outboundEvent(3, NOW, [statsOf('a/z', { x: 1 })]),
      ],
      new Set(),
      ALLOWANCE,
    );
    expect(sortNames(names)).toEqual([
      { endpoint: 'a/b', field: '', amount: 5 },
      { endpoint: 'a/b', field: 'x', amount: 5 },
    ]);
  });

  it('adds values up to the limits per event and per day', () => {
    const hugeStats = statsOf('a/b', { x: 9_000_000, y: 9_000_000 });
    expect(tally([inboundEvent(1, NOW, [hugeStats])], new Set(), ALLOWANCE).used.valuesIn).toBe(1_000_000);
    const remaining = { valuesIn: 10, valuesOut: 3 };
    const events = [
      inboundEvent(1, NOW, [hugeStats]),
      inboundEvent(2, NOW, [hugeStats]),
      outboundEvent(3, NOW, [hugeStats]),
    ];
    expect(tally(events, new Set(), remaining).used).toEqual({ valuesIn: 10, valuesOut: 3 });
  });

  it('counts all values, but names only about 5000 endpoints and fields', () => {
    const stats = Array.from({ length: 1000 }, (_, endpoint) =>
      statsOf(`a/e${endpoint}`, Object.fromEntries(Array.from({ length: 50 }, (_unused, field) => [`f${field}`, 1]))),
    );
    const { names, used } = tally([inboundEvent(1, NOW, stats)], new Set(), ALLOWANCE);
    expect(names.length).toBeGreaterThanOrEqual(5000);
    expect(names.length).toBeLessThan(5100);
    expect(used.valuesIn).toBe(50_000);
  });
});

describe('an event', () => {
  it('is counted if it is less than 35 days old and less than a day in the future', () => {
    expect(isCounted({ time: NOW - 34 * DAY_MS }, NOW)).toBe(true);
    expect(isCounted({ time: NOW - 35 * DAY_MS }, NOW)).toBe(false);
    expect(isCounted({ time: NOW + DAY_MS - 1 }, NOW)).toBe(true);
    expect(isCounted({ time: NOW + DAY_MS }, NOW)).toBe(false);
  });

  it('has its id deleted only when it cannot be counted again', () => {
    // When the ids of a day are deleted, even the newest event that was accepted on that day is too old.
    for (const receivedAt of [NOW, NOW + DAY_MS / 3]) {
      let now = receivedAt;
      while (dayOf(receivedAt) >= firstRetainedDay(now)) now += DAY_MS / 4;
      expect(isCounted({ time: receivedAt + DAY_MS - 1 }, now)).toBe(false);
    }
  });
});

describe('the number of PDAs that reported a name', () => {
  it('is estimated as the number of set bits, at most 50', () => {
    expect(withBits(0, 0b101n)).toEqual({ seen: 5, pdas: 2 });
    expect(withBits(5, 0b100n)).toEqual({ seen: 5, pdas: 2 });
    const highestBit = 1n << 49n;
    expect(withBits(Number(highestBit), highestBit | 1n)).toEqual({ seen: 2 ** 49 + 1, pdas: 2 });
    expect(bitOf(49n)).toBe(49);
    expect(bitOf(50n)).toBe(0);
  });
});
