import { useIntersection, useMergedRef } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import type { Timeline } from '../../../shared/api/contract.ts';
import { timelineDays } from '../../api/timeline.ts';
import { DaySection, type DaySectionProps } from './day-section.tsx';
import classes from './timeline-page.module.css';

/** Distance from the viewport at which the days of a month are rendered. */
const RENDER_MARGIN_PX = 800;
const DAY_HEIGHT_PX = 110;
/** Strip of the window, 15% to 20% from the top, that determines the current month. */
const CURRENT_MARGIN = '-15% 0px -80% 0px';

export interface Jump {
  day: string;
}

interface MonthSectionProps extends Omit<DaySectionProps, 'day' | 'isJumpTarget'> {
  month: Timeline['months'][number];
  /** Source of the shown items; undefined for all. */
  filter: string | undefined;
  /** Set for the target of the jump: the month of the jump's day, else the nearest earlier one, else the oldest. */
  jump: Jump | undefined;
  onCurrent: (month: string) => void;
}

/**
 * A month of the timeline. Only months near the viewport render their days, so that memory use does not grow with the
 * number of items. The others keep their height.
 */
export function MonthSection({ month: { month, days }, filter, jump, onCurrent, ...props }: MonthSectionProps) {
  const nearObserver = useIntersection<HTMLDivElement>({ rootMargin: `${RENDER_MARGIN_PX}px` });
  const currentObserver = useIntersection<HTMLDivElement>({ rootMargin: CURRENT_MARGIN });
  const ref = useMergedRef(nearObserver.ref, currentObserver.ref);
  const isNear = nearObserver.entry?.isIntersecting === true;
  const isCurrent = currentObserver.entry?.isIntersecting === true;
  const estimatedHeight = days * DAY_HEIGHT_PX;

  useEffect(() => {
    if (isCurrent) onCurrent(month);
  }, [isCurrent, month, onCurrent]);

  return (
    <div
      ref={ref}
      className={classes.month}
      data-jump={jump !== undefined || undefined}
      style={isNear ? undefined : { height: nearObserver.entry?.boundingClientRect.height ?? estimatedHeight }}
    >
      {isNear && <MonthDays {...props} month={month} filter={filter} jump={jump} height={estimatedHeight} />}
    </div>
  );
}

type MonthDaysProps = Omit<DaySectionProps, 'day' | 'isJumpTarget'> &
  Pick<MonthSectionProps, 'filter' | 'jump'> & {
    month: string;
    /** In pixels, until the days are loaded. */
    height: number;
  };

function MonthDays({ month, filter, jump, height, ...props }: MonthDaysProps) {
  const query = useQuery(timelineDays(month, filter));
  const days = query.data?.days;
  if (days === undefined && query.isError) return <LoadError error={query.error} retry={() => void query.refetch()} />;
  if (days === undefined) {
    return (
      <div style={{ minHeight: height }}>
        <LoadingSkeleton rows={4} />
      </div>
    );
  }
  const target = jump === undefined ? undefined : (days.find(({ day }) => day <= jump.day) ?? days.at(-1));
  return (
    <>
      <QueryBoundary query={query} />
      {days.map((day) => (
        <DaySection key={day.day} {...props} day={day} isJumpTarget={day === target} />
      ))}
    </>
  );
}
