import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Box, layOutTreemap, groupSmallParts } from './treemap.ts';

const area = ({ width, height }: Box): number => width * height;
const sizes = fc
  .array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 40 })
  .map((unsortedSizes) => unsortedSizes.toSorted((a, b) => b - a));

describe('layOutTreemap', () => {
  it('gives each box an area in proportion to its size and fills the frame', () => {
    fc.assert(
      fc.property(sizes, (sample) => {
        const total = sample.reduce((sum, size) => sum + size, 0);
        const boxes = layOutTreemap(sample, 100, 60);
        expect(boxes).toHaveLength(sample.length);
        for (const [index, size] of sample.entries()) {
          const box = boxes[index];
          expect(box === undefined ? Number.NaN : area(box)).toBeCloseTo((size / total) * 6000, 4);
        }
      }),
    );
  });

  it('keeps boxes within the frame and without overlap', () => {
    fc.assert(
      fc.property(sizes, (sample) => {
        const boxes = layOutTreemap(sample, 100, 60);
        const tolerance = 1e-6;
        for (const [index, a] of boxes.entries()) {
          expect(a.x).toBeGreaterThanOrEqual(-tolerance);
          expect(a.y).toBeGreaterThanOrEqual(-tolerance);
          expect(a.x + a.width).toBeLessThanOrEqual(100 + tolerance);
          expect(a.y + a.height).toBeLessThanOrEqual(60 + tolerance);
          for (const b of boxes.slice(index + 1)) {
            const overlapWidth = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
            const overlapHeight = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
            expect(Math.min(overlapWidth, overlapHeight)).toBeLessThanOrEqual(tolerance);
          }
        }
      }),
    );
  });

  it('keeps aspect ratios below 3.5 for seven boxes of sizes from 1 to 6 in a frame of 6 × 4', () => {
    for (const { width, height } of layOutTreemap([6, 6, 4, 3, 2, 2, 1], 6, 4))
      expect(Math.max(width / height, height / width)).toBeLessThan(3.5);
  });
});

describe('groupSmallParts', () => {
  const part = (bytes: number) => ({ bytes, files: 1 });

  it('combines small parts', () => {
    const { largeParts, rest } = groupSmallParts([part(1000), part(500), part(2), part(1)], 0.01, 10);
    expect(largeParts.map(({ bytes }) => bytes)).toEqual([1000, 500]);
    expect(rest).toEqual({ parts: 2, bytes: 3, files: 2 });
  });

  it('combines parts beyond the maximum number', () => {
    const { largeParts, rest } = groupSmallParts([part(3), part(2), part(4)], 0, 2);
    expect(largeParts.map(({ bytes }) => bytes)).toEqual([4, 3]);
    expect(rest).toEqual({ parts: 1, bytes: 2, files: 1 });
  });

  it('leaves out empty parts', () => {
    expect(groupSmallParts([part(0)], 0.01, 10)).toEqual({ largeParts: [], rest: { parts: 0, bytes: 0, files: 0 } });
  });
});
