import { useEffect, useState } from 'react';
import { exactTime, relativeTime, relativeTimeShort } from '../format/format.ts';

const UPDATE_WITHIN_MS = 60 * 60_000;
const UPDATE_INTERVAL_MS = 30_000;

interface RelativeTimeProps {
  /** ISO 8601. */
  at: string;
  short?: boolean;
}

/** Shows the exact time as a tooltip. Updates while the time is less than an hour before or after now. */
export function RelativeTime(props: RelativeTimeProps) {
  // The key resets the current time when `at` changes, so that a new time is not in the future.
  return <UpdatingTime key={props.at} {...props} />;
}

function UpdatingTime({ at, short = false }: RelativeTimeProps) {
  const [now, setNow] = useState(() => new Date());
  const isWithinHour = Math.abs(now.getTime() - new Date(at).getTime()) < UPDATE_WITHIN_MS;
  useEffect(() => {
    if (!isWithinHour) return;
    const timer = setInterval(() => setNow(new Date()), UPDATE_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isWithinHour]);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {short ? relativeTimeShort(at, now) : relativeTime(at, now)}
    </time>
  );
}
