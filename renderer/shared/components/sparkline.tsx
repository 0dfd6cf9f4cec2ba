import type { DailyTotals } from './daily-totals.ts';
import classes from './sparkline.module.css';

const toneOf = ({ records, refused }: DailyTotals) => {
  if (records > 0) return 'in';
  return refused > 0 ? 'out' : undefined;
};

/**
 * Small chart of the records per day, beside equivalent text. Consists of plain elements, because lists contain dozens
 * of charts and the chart library takes 20 ms for each.
 */
export function Sparkline({ days }: { days: readonly DailyTotals[] }) {
  const maximum = Math.max(1, ...days.map(({ records }) => records));
  return (
    <span className={classes.sparkline} aria-hidden="true">
      {days.map((day) => (
        <i
          key={day.day}
          data-tone={toneOf(day)}
          style={{ blockSize: `${(Math.sqrt(day.records / maximum) * 100).toFixed(1)}%` }}
        />
      ))}
    </span>
  );
}
