import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeClone } from './clone.cjs';

const clone = makeClone();

describe('structuredClone', () => {
  it('copies generated data as the platform does', () => {
    fc.assert(
      fc.property(
        fc.anything({ withDate: true, withMap: true, withSet: true, withTypedArray: true, withBigInt: true }),
        (value) => {
          expect(clone(value)).toEqual(structuredClone(value));
        },
      ),
    );
  });

  it('preserves shared references and cycles', () => {
    const shared = { a: 1 };
    const value: Record<string, unknown> = { first: shared, second: shared, buffer: new Uint8Array([1, 2]) };
    value['self'] = value;
    const copy = clone(value) as Record<string, unknown>;
    expect(copy['first']).toBe(copy['second']);
    expect(copy['self']).toBe(copy);
    expect(copy['first']).not.toBe(shared);
    expect(copy['buffer']).toEqual(new Uint8Array([1, 2]));
  });

  it('copies errors with message and cause', () => {
    const copy = clone(new RangeError('too far', { cause: { a: 1 } })) as Error;
    expect([copy instanceof RangeError, copy.message, copy.cause]).toEqual([true, 'too far', { a: 1 }]);
  });

  it('treats the key __proto__ as data', () => {
    const copy = clone(JSON.parse('{"__proto__": {"a": 1}}')) as object;
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it.each([[() => 1], [Symbol('s')], [{ a: () => 1 }], [Promise.resolve()], [new WeakMap()]])('refuses %s', (value) => {
    expect(() => clone(value)).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
  });
});
