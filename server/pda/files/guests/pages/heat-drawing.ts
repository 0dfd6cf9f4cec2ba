import { daysOfYear, heatLevelOf, weekColumnOf } from '../../../../wire/heat-levels.ts';
import { escapeHtml } from '../../../../wire/html.ts';
import type { Language } from '../../../../wire/language.ts';
import { weekdayOf } from '../../../../wire/months.ts';
import { LOCALE } from '../../page-format.ts';
import { boundsOf } from './drawing.ts';

// Draws the days of a year as SVG: a column for each week, a row for each weekday from Monday.

/** Sizes in the units of the drawing. */
const CELL_SIZE = 12;
const CELL_STEP = CELL_SIZE + 2;
const LABEL_HEIGHT = 16;
/** Maximum number of weeks that a year touches. */
const MAX_WEEKS_PER_YEAR = 54;

/** @param parts.points `start` is a day such as `2026-03-01` */
export const heatDrawing = (parts: {
  label: string;
  year: string;
  points: readonly { start: string; value: number }[];
  language: Language;
}): string => {
  const { label, year, points, language } = parts;
  const values = new Map(points.map(({ start, value }) => [start, value]));
  const [low, high] = boundsOf(points.flatMap(({ value }) => (value === 0 ? [] : [value])));
  const monthFormat = new Intl.DateTimeFormat(LOCALE[language], { month: 'short', timeZone: 'UTC' });
  const days = daysOfYear(year);
  const monthLabels = days
    .filter((day) => day.endsWith('-01'))
    .map(
      (day) =>
        `<text x="${weekColumnOf(day) * CELL_STEP}" y="${LABEL_HEIGHT - 5}">${escapeHtml(monthFormat.format(new Date(day)))}</text>`,
    );
  const cells = days.map((day) => {
    const level = heatLevelOf(values.get(day) ?? null, low, high);
    const [x, y] = [weekColumnOf(day) * CELL_STEP, LABEL_HEIGHT + weekdayOf(day) * CELL_STEP];
    return `<rect x="${x}" y="${y}" width="${CELL_SIZE}" height="${CELL_SIZE}" rx="2" data-level="${level}"/>`;
  });
  return `<svg class="heat" role="img" aria-label="${escapeHtml(label)}" viewBox="0 0 ${MAX_WEEKS_PER_YEAR * CELL_STEP} ${LABEL_HEIGHT + 7 * CELL_STEP}">${monthLabels.join('')}${cells.join('')}</svg>`;
};
