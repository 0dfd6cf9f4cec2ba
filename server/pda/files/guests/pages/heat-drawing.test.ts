import { describe, expect, it } from 'vitest';
import { heatDrawing } from './heat-drawing.ts';

const draw = (points: { start: string; value: number }[], year = '2026'): string =>
  heatDrawing({ label: 'Steps "<"', year, points, language: 'de' });
const levelsIn = (svg: string): number[] =>
  [...svg.matchAll(/data-level="(?<level>\d)"/gu)].map(({ groups }) => Number(groups?.['level']));

describe('the drawing of a year', () => {
  it('has a cell for each day, darker for larger values', () => {
    const levels = levelsIn(
      draw([
        { start: '2026-01-01', value: 1 },
        { start: '2026-01-03', value: 9 },
        { start: '2026-12-31', value: 5 },
      ]),
    );
    expect(levels).toHaveLength(365);
    expect([levels[0], levels[1], levels[2], levels[364]]).toEqual([1, 0, 4, 3]);
  });

  it('names the months and escapes its label', () => {
    const svg = draw([]);
    expect(svg.match(/<text /gu)).toHaveLength(12);
    expect(svg).toContain('>Dez</text>');
    expect(svg).toContain('aria-label="Steps &quot;&lt;&quot;"');
  });

  it('has finite coordinates without values, and ignores days that do not exist', () => {
    expect(levelsIn(draw([{ start: '2026-19-39', value: 1 }])).every((level) => level === 0)).toBe(true);
    expect(draw([])).not.toMatch(/NaN|Infinity/u);
  });
});
