import { describe, expect, it } from 'vitest';
import { barsOf, drawing, lineOf, pointsOf, shareBar, timeOfEnd, timeOfStart } from './drawing.ts';

const attributesOf = (svg: string, name: string): number[] =>
  [...svg.matchAll(new RegExp(` ${name}="(?<value>[^"]+)"`, 'gu'))].map(({ groups }) => Number(groups?.['value']));

describe('the bars of a drawing', () => {
  it('start at zero, even for negative values', () => {
    const bars = barsOf([
      { from: 0, to: 1, value: 10 },
      { from: 1, to: 2, value: -10 },
    ]);
    expect(attributesOf(bars, 'y')).toEqual([0, 120]);
    expect(attributesOf(bars, 'height')).toEqual([120, 120]);
    expect(attributesOf(bars, 'x')).toEqual([30, 530]);
  });

  it('leave gaps for days without values', () => {
    const days = ['2026-03-01', '2026-03-04'];
    const bars = barsOf(days.map((day) => ({ from: timeOfStart(day), to: timeOfEnd(day, 'day'), value: 1 })));
    expect(attributesOf(bars, 'x')).toEqual([15, 765]);
  });

  it('have finite coordinates for equal, single and no values, as do lines', () => {
    for (const values of [[], [{ from: 1, to: 1, value: 0 }], [1, 2].map((from) => ({ from, to: from + 1, value: 0 }))])
      expect(barsOf(values) + lineOf(values)).not.toMatch(/NaN|Infinity/u);
  });
});

describe('the points of a drawing', () => {
  it('span the drawing from the lowest to the highest value', () => {
    const pairs = [
      { x: 0, y: -5 },
      { x: 50, y: 0 },
      { x: 100, y: 5 },
    ];
    expect(pointsOf(pairs)).toContain('d="M6 234h0M500 120h0M994 6h0"');
    expect(pointsOf([{ x: 1, y: 1 }])).toContain('d="M500 120h0"');
    expect(pointsOf([])).not.toMatch(/NaN|Infinity/u);
  });
});

describe('a drawing', () => {
  it('escapes its labels', () => {
    const html = drawing({ label: '"<b>', caption: '<i>', marks: '', ends: ['<u>'] });
    expect(html).not.toMatch(/<[biu]>|""/u);
  });

  it('shows a share as the width of a bar', () => {
    expect(attributesOf(shareBar(0.25), 'width')).toEqual([25]);
  });
});

describe('timeOfStart', () => {
  it('parses the start of a year, month, day or hour', () => {
    expect(['2026', '2026-01', '2026-01-01', '2026-01-01 00'].map(timeOfStart)).toEqual(
      Array.from({ length: 4 }, () => Date.parse('2026-01-01')),
    );
    expect(timeOfStart('unknown')).toBeNaN();
  });
});
