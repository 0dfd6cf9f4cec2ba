import type { Field } from '../../../../../server/wire/fields.ts';
import { daysOfYear, heatLevelOf, weekColumnOf } from '../../../../../server/wire/heat-levels.ts';
import { weekdayOf } from '../../../../../server/wire/months.ts';
import { calendarDayShort } from '../../../../shared/format/format.ts';
import { bucketText, valueText } from './chart-text.ts';
import type { SeriesPoint } from './buckets.ts';
import { extremesOf } from './time-chart.tsx';
import classes from './charts.module.css';

/** Sizes in SVG units. */
const CELL_SIZE = 12;
const CELL_STEP = CELL_SIZE + 2;
const LABEL_HEIGHT = 14;
/** Maximum number of weeks in a year, including partial ones. */
const MAX_WEEKS_PER_YEAR = 54;

interface HeatMapProps {
  points: readonly SeriesPoint[];
  year: string;
  /** Undefined for counts. */
  field: Field | undefined;
}

/** Grid of one year: a column per week, and a row per weekday, beginning with Monday. */
export function HeatMap({ points, year, field }: HeatMapProps) {
  const values = new Map(points.map(({ start, value }) => [start, value]));
  const [low = 0, high = 0] = extremesOf(points.map(({ value }) => (value === 0 ? null : value)));
  const days = daysOfYear(year);
  return (
    <svg className={classes.heatMap} viewBox={`0 0 ${MAX_WEEKS_PER_YEAR * CELL_STEP} ${LABEL_HEIGHT + 7 * CELL_STEP}`}>
      {days
        .filter((day) => day.endsWith('-01'))
        .map((day) => (
          <text key={day} x={weekColumnOf(day) * CELL_STEP} y={LABEL_HEIGHT - 4}>
            {calendarDayShort(day)}
          </text>
        ))}
      {days.map((day) => {
        const value = values.get(day) ?? null;
        return (
          <rect
            key={day}
            x={weekColumnOf(day) * CELL_STEP}
            y={LABEL_HEIGHT + weekdayOf(day) * CELL_STEP}
            width={CELL_SIZE}
            height={CELL_SIZE}
            rx={2}
            data-level={heatLevelOf(value, low, high)}
          >
            <title>
              {value === null ? bucketText(day, 'day') : `${bucketText(day, 'day')}: ${valueText(value, field)}`}
            </title>
          </rect>
        );
      })}
    </svg>
  );
}
