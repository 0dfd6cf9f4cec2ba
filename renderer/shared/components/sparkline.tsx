import type { DailyTotals } from './daily-totals.ts';
import classes from './sparkline.module.css';

const toneOf = ({ records, refused }: DailyTotals) => {
  if (records > 0) return 'in';
  return refused > 0 ? 'out' : undefined;
};

/**
 * Small chart beside equivalent text. Hand-drawn, since lists hold dozens of them and the chart library takes 20 ms
 * each.
 */
export function Sparkline({ days }: { days: readonly DailyTotals[] }) {
  const most = Math.max(1, ...days.map(({ records }) => records));
  return (
    <span className={classes.sparkline} aria-hidden="true">
      {days.map((day) => (
        <i
          key={day.day}
          data-tone={toneOf(day)}
          style={{ blockSize: `${(Math.sqrt(day.records / most) * 100).toFixed(1)}%` }}
        />
      ))}
    </span>
  );
}
