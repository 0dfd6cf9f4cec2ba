import { calendarDayShort } from '../../../../shared/format/format.ts';
import { bucketText, valueText } from './chart-text.ts';
import { type SeriesPoint, shiftStart, startOfBucket } from './buckets.ts';
import { extremesOf } from './time-chart.tsx';
import classes from './charts.module.css';

/** Sizes in SVG units. */
const CELL_SIZE = 12;
const CELL_STEP = CELL_SIZE + 2;
const LABEL_HEIGHT = 14;
/** Number of colours. */
const LEVELS = 4;
/** Maximum number of weeks that a year touches. */
const WEEKS_PER_YEAR = 54;
const DAY_MS = 86_400_000;

/** Returns the colour level of a value, 1 to 4; 0 without a value, and for the value 0 unless values are negative. */
function levelOf(value: number | null, low: number, high: number): number {
  if (value === null || (value === 0 && low >= 0)) return 0;
  const base = Math.min(low, high);
  return high === base ? LEVELS : Math.min(LEVELS, 1 + Math.floor(((value - base) / (high - base)) * LEVELS));
}

/** One year as a grid: a column per week, a row per day from Monday. */
export function HeatMap({ points, year }: { points: readonly SeriesPoint[]; year: string }) {
  const values = new Map(points.map(({ start, value }) => [start, value]));
  const [low = 0, high = 0] = extremesOf(points.map(({ value }) => (value === 0 ? null : value)));
  const monday = startOfBucket(`${year}-01-01`, 'week');
  const days: string[] = [];
  for (let day = `${year}-01-01`; day.startsWith(year); day = shiftStart(day, 'day', 1)) days.push(day);
  const column = (day: string) => Math.floor((Date.parse(day) - Date.parse(monday)) / (7 * DAY_MS));
  return (
    <svg className={classes.heat} viewBox={`0 0 ${WEEKS_PER_YEAR * CELL_STEP} ${LABEL_HEIGHT + 7 * CELL_STEP}`}>
      {days
        .filter((day) => day.endsWith('-01'))
        .map((day) => (
          <text key={day} x={column(day) * CELL_STEP} y={LABEL_HEIGHT - 4}>
            {calendarDayShort(day)}
          </text>
        ))}
      {days.map((day) => {
        const value = values.get(day) ?? null;
        return (
          <rect
            key={day}
            x={column(day) * CELL_STEP}
            y={LABEL_HEIGHT + ((new Date(day).getUTCDay() + 6) % 7) * CELL_STEP}
            width={CELL_SIZE}
            height={CELL_SIZE}
            rx={2}
            data-level={levelOf(value, low, high)}
          >
            <title>{value === null ? bucketText(day, 'day') : `${bucketText(day, 'day')}: ${valueText(value)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
