import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bundle, CombinatorEntry, Mapping, Operator } from '../../wire/query.ts';
import { periodEnd, remainingPeriodMs } from './scheduler/period-rules.ts';
import {
  backoffOf,
  findUnapprovedRead,
  chainOfRun,
  isOnCycle,
  outputFieldsOf,
  classifyChain,
  type Wiring,
} from './rules.ts';

const DAY_MS = 86_400_000;

describe('a period', () => {
  const start = Date.UTC(2026, 0, 31, 12);
  it.each([
    ['PT1S', 1000],
    ['PT1H30M', 5_400_000],
    ['P1D', DAY_MS],
    ['P1W', 7 * DAY_MS],
    ['P1M', 28 * DAY_MS],
    ['P1Y', 365 * DAY_MS],
    ['P1Y2M3DT4H', Date.UTC(2027, 2, 31, 12) + 3 * DAY_MS + 4 * 3_600_000 - start],
    [90_000, 90_000],
  ])('ends according to the calendar: %s', (period, length) => {
    expect(periodEnd(period, start) - start).toBe(length);
  });

  it('ends on the last day of a shorter month, and at the latest time that a Date can hold', () => {
    expect(periodEnd('P1M', Date.UTC(2028, 0, 31))).toBe(Date.UTC(2028, 1, 29));
    expect(periodEnd('P13M', Date.UTC(2026, 11, 31))).toBe(Date.UTC(2028, 0, 31));
    expect(periodEnd('P999999Y', start)).toBe(8_640_000_000_000_000);
  });

  it('ends when the clock or the monotonic counter reaches its end', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 * DAY_MS }),
        fc.integer({ min: -10 * DAY_MS, max: 10 * DAY_MS }),
        fc.nat({ max: 10 * DAY_MS }),
        (period, jump, elapsed) => {
          // The monotonic counter advanced by `elapsed`; the clock was also set by `jump`.
          const now = { wall: start + elapsed + jump, counter: elapsed };
          const remaining = remainingPeriodMs(period, { wall: start, counter: 0 }, now);
          expect(remaining).toBeLessThanOrEqual(period);
          expect(remaining <= 0).toBe(elapsed >= period || elapsed + jump >= period);
        },
      ),
    );
  });

  it('includes time during which the machine slept', () => {
    const periodStart = { wall: start, counter: 100 };
    expect(remainingPeriodMs('PT8H', periodStart, { wall: start + 8 * 3_600_000, counter: 200 })).toBe(0);
  });
});

describe('chains', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const chains = fc.array(fc.uniqueArray(fc.constantFrom(...ids), { minLength: 0, maxLength: 4 }), { maxLength: 4 });

  it('contain each cause once and end with the running function', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ids), chains, (id, causes) => {
        const allowedChains = causes.filter((chain) => classifyChain(id, chain) === 'new');
        const chain = chainOfRun(id, allowedChains);
        expect(new Set(chain).size).toBe(chain.length);
        expect(chain.at(-1)).toBe(id);
        expect(new Set(chain)).toStrictEqual(new Set([...allowedChains.flat(), id]));
      }),
    );
  });

  it('terminate for any wiring of functions', () => {
    const wirings = fc.array(fc.array(fc.nat({ max: 4 }), { maxLength: 5 }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(wirings, (readersOf) => {
        // A record triggers a run of each function that reads it. Each run stores another record.
        let steps = 0;
        const pendingWrites: { writer: number; chain: string[] }[] = [{ writer: 0, chain: [] }];
        for (let write = pendingWrites.pop(); write !== undefined; write = pendingWrites.pop()) {
          for (const reader of new Set(readersOf[write.writer])) {
            const id = ids[reader] ?? '';
            if (classifyChain(id, write.chain) !== 'new') continue;
            steps += 1;
            expect(write.chain).not.toContain(id);
            pendingWrites.push({ writer: reader, chain: chainOfRun(id, [write.chain]) });
          }
        }
        // 5 + 5*4 + … runs if each function reads the output of all functions.
        expect(steps).toBeLessThanOrEqual(325);
      }),
    );
  });

  it.each([
    ['false for a function that reads only its own output', [['a', ['x/a'], 'x/a']], false],
    [
      'false for a chain that does not return',
      [
        ['a', ['in'], 'x/a'],
        ['b', ['x/a'], 'x/b'],
      ],
      false,
    ],
    [
      'true for two functions that read each other',
      [
        ['a', ['x/b'], 'x/a'],
        ['b', ['x/a'], 'x/b'],
      ],
      true,
    ],
    [
      'true for a cycle of three functions',
      [
        ['a', ['x/c'], 'x/a'],
        ['b', ['x/a'], 'x/b'],
        ['c', ['x/b'], 'x/c'],
      ],
      true,
    ],
    [
      'false for a function that feeds a cycle of two others',
      [
        ['a', ['in'], 'x/a'],
        ['b', ['x/a', 'x/c'], 'x/b'],
        ['c', ['x/b'], 'x/c'],
      ],
      false,
    ],
  ] as const)('isOnCycle returns %s', (_, functions, expected) => {
    const wiring: Wiring = new Map(
      functions.map(([id, reads, writes]) => [id, { reads: new Set<string>(reads), writes }]),
    );
    expect(isOnCycle('a', wiring)).toBe(expected);
  });
});

describe('the approval of reads', () => {
  const IN: Operator = { operator: 'in', value: ['1980'] };
  const bundleWith = (mapping: Mapping, entry: Pick<CombinatorEntry, 'filters'> = {}, orderBy?: string): Bundle => ({
    x: { endpoints: [{ endpoint: 'me/profile', mapping, ...entry }], ...(orderBy === undefined ? {} : { orderBy }) },
  });
  const approvedBundle = {
    steps: { endpoints: [{ endpoint: 'fit/steps' }] },
    name: {
      endpoints: [
        {
          endpoint: 'me/profile',
          mapping: { first: 'name.first', 'tags[]': { source: 'tags[]', mappings: { t: 'label' } } },
        },
      ],
    },
  };
  it.each([
    [{ x: { endpoints: [{ endpoint: 'fit/steps', mapping: { n: 'n' } }], limit: 3 } }, undefined],
    [{ x: { endpoints: [{ endpoint: 'fit/heart' }] } }, 'fit/heart'],
    [{ x: { endpoints: [{ endpoint: 'me/profile' }] } }, 'entire records of me/profile'],
    [{ x: { endpoints: [{ endpoint: 'me/profile', mapping: { last: 'name.last' } }] } }, 'name.last of me/profile'],
    [{ x: { endpoints: [{ endpoint: 'me/profile', mapping: { other: 'name.first' } }] } }, undefined],
    [
      {
        x: {
          endpoints: [{ endpoint: 'me/profile', mapping: { 'y[]': { source: 'tags[]', mappings: { t: 'secret' } } } }],
        },
      },
      'tags[].secret of me/profile',
    ],
    [bundleWith({ first: 'name.first' }, { filters: [{ field: 'name.first', operator: IN }] }), undefined],
    [bundleWith({ first: 'name.first' }, { filters: [{ field: 'born', operator: IN }] }), 'born of me/profile'],
    [bundleWith({ first: 'name.first' }, {}, 'first'), undefined],
    [bundleWith({ first: 'name.first' }, {}, 'name.first'), undefined],
    [bundleWith({ first: 'name.first' }, {}, 'born'), 'born of me/profile'],
    [
      bundleWith({ 'y[]': { source: 'tags[]', mappings: { t: 'label' } }, y: 'name.first' }, {}, 'y'),
      'tags[] of me/profile',
    ],
    [bundleWith({ x: 'tags[]|label' }), 'tags[]|label of me/profile'],
  ])('findUnapprovedRead returns what exceeds the approval: %j', (requested, unapproved) => {
    expect(findUnapprovedRead(requested, approvedBundle)).toBe(unapproved);
  });

  it('outputFieldsOf returns the output fields, or null for entire records', () => {
    expect(outputFieldsOf(approvedBundle)).toBeNull();
    expect(outputFieldsOf({ name: approvedBundle.name })).toStrictEqual(['first', 'tags[]']);
    expect(outputFieldsOf({ all: { endpoints: [{ endpoint: 'a/b', mapping: { x: 'x', all: '[]' } }] } })).toBeNull();
  });
});

it('a failed run is retried three times with increasing delays', () => {
  const delays = [1, 2, 3, 4, 100].map((failures) => backoffOf(failures));
  expect(delays).toStrictEqual([5000, 30_000, 180_000, undefined, undefined]);
});
