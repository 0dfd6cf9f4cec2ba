import type { DailyTotals } from './daily-totals.ts';
import classes from './sparkline.module.css';

const toneOf = ({ records, refused }: DailyTotals) => {
  if (records > 0) return 'read';
  return refused > 0 ? 'refused' : undefined;
};

/** Must be beside equivalent text. Avoids the chart library, which takes 20 ms per chart: lists contain dozens. */
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
