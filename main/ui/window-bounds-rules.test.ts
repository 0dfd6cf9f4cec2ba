import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeWindow, MIN_SIZE, type Bounds } from './window-bounds-rules.ts';

const MAIN_SCREEN: Bounds = { x: 0, y: 25, width: 1440, height: 875 };
const RIGHT_SCREEN: Bounds = { x: 1440, y: 0, width: 1920, height: 1080 };

describe('placeWindow', () => {
  it('restores the saved position', () => {
    const savedBounds = { x: 1500, y: 100, width: 1000, height: 700 };
    expect(placeWindow(savedBounds, [MAIN_SCREEN, RIGHT_SCREEN])).toEqual(savedBounds);
  });

  it('opens on the main screen if the saved screen is missing', () => {
    expect(placeWindow({ x: 1500, y: 100, width: 1000, height: 700 }, [MAIN_SCREEN])).toEqual({
      width: 1000,
      height: 700,
    });
  });

  it('limits the size to the screen', () => {
    expect(placeWindow({ x: 0, y: 25, width: 5000, height: 5000 }, [MAIN_SCREEN])).toEqual({
      x: 0,
      y: 25,
      width: 1440,
      height: 875,
    });
  });

  it('ignores a saved position at which too little of the title bar would be visible', () => {
    expect(placeWindow({ x: 100, y: -300, width: 800, height: 600 }, [MAIN_SCREEN])).not.toHaveProperty('y');
    expect(placeWindow({ x: 1400, y: 100, width: 800, height: 600 }, [MAIN_SCREEN])).not.toHaveProperty('x');
  });

  it.each([
    null,
    undefined,
    'text',
    7,
    [],
    {},
    { x: 1, y: 1, width: 0, height: 5 },
    { x: NaN, y: 0, width: 9, height: 9 },
    { x: '1', y: 2, width: 3, height: 4 },
  ])('uses the default size if the file contains %j', (savedBounds) => {
    expect(placeWindow(savedBounds, [MAIN_SCREEN])).toEqual({ width: 1180, height: 800 });
  });

  it('always returns a usable size', () => {
    const integer = fc.integer({ min: -100_000, max: 100_000 });
    const bounds = fc.record({ x: integer, y: integer, width: integer, height: integer });
    fc.assert(
      fc.property(fc.oneof(bounds, fc.anything()), fc.array(bounds, { maxLength: 3 }), (savedBounds, screens) => {
        const placement = placeWindow(savedBounds, screens);
        expect(placement.width).toBeGreaterThanOrEqual(MIN_SIZE.width);
        expect(placement.height).toBeGreaterThanOrEqual(MIN_SIZE.height);
      }),
    );
  });
});
