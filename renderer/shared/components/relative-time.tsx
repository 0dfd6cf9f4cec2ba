import { useEffect, useState } from 'react';
import { exactTime, relativeTime, relativeTimeShort } from '../format/format.ts';

const UPDATE_WITHIN_MS = 60 * 60_000;
const UPDATE_INTERVAL_MS = 30_000;

/** Relative time such as "10 minutes ago", with the exact time as tooltip. Updates within an hour of that time. */
export function RelativeTime({ at, short = false }: { at: string; short?: boolean }) {
  const [now, setNow] = useState(() => new Date());
  const isRecent = Math.abs(now.getTime() - new Date(at).getTime()) < UPDATE_WITHIN_MS;
  useEffect(() => {
    if (!isRecent) return;
    const timer = setInterval(() => setNow(new Date()), UPDATE_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isRecent]);
  // A time after the last tick would count as the future: show it as "just now".
  const from = new Date(Math.max(now.getTime(), isRecent ? new Date(at).getTime() : 0));
  return (
    <time dateTime={at} title={exactTime(at)}>
      {short ? relativeTimeShort(at, from) : relativeTime(at, from)}
    </time>
  );
}
