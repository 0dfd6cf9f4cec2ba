import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAt } from './evaluator.test-support.ts';
import { paths, recordValues } from './generators.test-support.ts';
import { type Json, parseJson } from './json.ts';
import { parsePath, resolvePath } from './paths.ts';

const record: Json = {
  a: { 'b-c': [10, { d: null }], '0': 'zero', '': 'empty' },
  data: { x: 1 },
  'é @': 2,
  y: 3,
  list: [[5]],
};
const resolve = (path: string): Json | undefined => resolvePath(record, parsePath(path));

describe('a path', () => {
  it.each<[string, Json | undefined]>([
    ['a.b-c', [10, { d: null }]],
    ['a.b-c[0]', 10],
    ['a.b-c.0', 10],
    ['a.b-c[]', [10, { d: null }]],
    ['a.b-c[1].d', null],
    ['a.b-c[2]', undefined],
    ['a.b-c.01', undefined],
    ['a.0', 'zero'],
    ['a[0]', undefined],
    ['a.', 'empty'],
    ['é @', 2],
    ['list[0][0]', 5],
    ['list[99999999999999999999]', undefined],
    ['list.length', undefined],
    ['a.constructor', undefined],
    ['__proto__', undefined],
    ['a.b-c.1.d.e', undefined],
  ])('%s resolves to %j', (path, expected) => {
    expect(resolve(path)).toEqual(expected);
  });

  it('with the prefix `data.` is resolved literally, and without the prefix only if it leads to no value', () => {
    expect(resolve('data.x')).toBe(1);
    expect(resolve('data.y')).toBe(3);
    expect(resolve('data.data.x')).toBe(1);
    expect(resolve('data.data.y')).toBeUndefined();
    expect(resolvePath({ data: { x: null }, x: 1 }, parsePath('data.x'))).toBeNull();
  });

  it('may begin with an array index', () => {
    expect(resolvePath([['a']], parsePath('[0][0]'))).toBe('a');
    expect(resolvePath(['a'], parsePath('data.[0]'))).toBe('a');
    expect(resolvePath('text', parsePath('[]'))).toBe('text');
  });

  it('resolves like the reference evaluator, for random values and paths', () => {
    fc.assert(
      fc.property(recordValues, paths, (value, path) => {
        const storedValue = parseJson(JSON.stringify(value));
        const expected = valueAt(storedValue, path);
        expect(resolvePath(storedValue, parsePath(path))).toEqual(typeof expected === 'symbol' ? undefined : expected);
      }),
      { numRuns: 500 },
    );
  });
});
