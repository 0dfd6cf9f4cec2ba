import { useEffect, useState } from 'react';
import { exact, when, whenShort } from '../format.ts';

/** A moment in words near now; the exact one, with its time zone, on hover. */
export function When({ at, short = false }: { at: string; short?: boolean }) {
  const [now, setNow] = useState(() => new Date());
  const recent = Math.abs(now.getTime() - new Date(at).getTime()) < 60 * 60_000;
  useEffect(() => {
    if (!recent) return;
    const timer = setInterval(() => setNow(new Date()), 30_000);
    return () => clearInterval(timer);
  }, [recent]);
  // A moment that came after the last tick is measured from itself, not from the past.
  const from = new Date(Math.max(now.getTime(), recent ? new Date(at).getTime() : 0));
  return (
    <time dateTime={at} title={exact(at)}>
      {short ? whenShort(at, from) : when(at, from)}
    </time>
  );
}
