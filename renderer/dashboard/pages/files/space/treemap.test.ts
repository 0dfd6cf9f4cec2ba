import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Box, treemap, withRest } from './treemap.ts';

const area = ({ width, height }: Box): number => width * height;
const sizes = fc
  .array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 40 })
  .map((all) => all.toSorted((a, b) => b - a));

describe('a treemap', () => {
  it('gives each an area in proportion to its size, and fills the whole', () => {
    fc.assert(
      fc.property(sizes, (given) => {
        const total = given.reduce((sum, size) => sum + size, 0);
        const boxes = treemap(given, 100, 60);
        expect(boxes).toHaveLength(given.length);
        for (const [index, size] of given.entries()) {
          const box = boxes[index];
          expect(box === undefined ? Number.NaN : area(box)).toBeCloseTo((size / total) * 6000, 4);
        }
      }),
    );
  });

  it('stays within its frame, and nothing lies on something else', () => {
    fc.assert(
      fc.property(sizes, (given) => {
        const boxes = treemap(given, 100, 60);
        const tiny = 1e-6;
        for (const [index, a] of boxes.entries()) {
          expect(a.x).toBeGreaterThanOrEqual(-tiny);
          expect(a.y).toBeGreaterThanOrEqual(-tiny);
          expect(a.x + a.width).toBeLessThanOrEqual(100 + tiny);
          expect(a.y + a.height).toBeLessThanOrEqual(60 + tiny);
          for (const b of boxes.slice(index + 1)) {
            const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
            const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
            expect(Math.min(across, down)).toBeLessThanOrEqual(tiny);
          }
        }
      }),
    );
  });

  it('makes no splinters of things that are alike', () => {
    for (const { width, height } of treemap([6, 6, 4, 3, 2, 2, 1], 6, 4))
      expect(Math.max(width / height, height / width)).toBeLessThan(3.5);
  });
});

describe('what is too small to be read', () => {
  const part = (bytes: number) => ({ bytes, files: 1 });

  it('is put together', () => {
    const { shown, rest } = withRest([part(1000), part(500), part(2), part(1)], 0.01, 10);
    expect(shown.map(({ bytes }) => bytes)).toEqual([1000, 500]);
    expect(rest).toEqual({ parts: 2, bytes: 3, files: 2 });
  });

  it('so is what there are too many of', () => {
    const { shown, rest } = withRest([part(3), part(2), part(4)], 0, 2);
    expect(shown.map(({ bytes }) => bytes)).toEqual([4, 3]);
    expect(rest).toEqual({ parts: 1, bytes: 2, files: 1 });
  });

  it('takes no place when it is empty', () => {
    expect(withRest([part(0)], 0.01, 10)).toEqual({ shown: [], rest: { parts: 0, bytes: 0, files: 0 } });
  });
});
