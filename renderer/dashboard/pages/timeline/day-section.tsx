import { Anchor, UnstyledButton } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { isolateText } from '../../../../server/wire/isolation.ts';
import type { TimelineDays, TimelineSource } from '../../../shared/api/contract.ts';
import { LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ChosenIcon } from '../data/endpoints/endpoint-icon.tsx';
import { dayLabel } from './day-label.ts';
import { GroupItems, type GroupItemsProps } from './group-items.tsx';
import classes from './timeline-page.module.css';

const texts = m.timeline;
const MAX_SHOWN_GROUPS = 12;
const LOAD_MARGIN_PX = 400;

export interface DaySectionProps extends Pick<GroupItemsProps, 'openPicture'> {
  day: TimelineDays['days'][number];
  sources: ReadonlyMap<string, TimelineSource>;
  isJumpTarget: boolean;
}

export function DaySection({ day: { day, groups }, sources, isJumpTarget, openPicture }: DaySectionProps) {
  const [showsAll, setShowsAll] = useState(false);
  const element = useRef<HTMLElement>(null);
  // The clicked button is gone, so the first of the newly shown groups receives focus.
  useEffect(() => {
    if (showsAll) element.current?.querySelectorAll<HTMLElement>('[aria-expanded]').item(MAX_SHOWN_GROUPS)?.focus();
  }, [showsAll]);
  const label = dayLabel(day);
  const hiddenCount = showsAll ? 0 : Math.max(0, groups.length - MAX_SHOWN_GROUPS);
  return (
    <section ref={element} aria-label={label} className={classes.day} data-jump={isJumpTarget || undefined}>
      <h2>{label}</h2>
      {groups.slice(0, groups.length - hiddenCount).map(({ source: name, items }) => {
        const source = sources.get(name);
        return (
          source !== undefined && (
            <DayGroup key={name} source={source} day={day} total={items} openPicture={openPicture} />
          )
        );
      })}
      {hiddenCount > 0 && (
        <Anchor component="button" type="button" onClick={() => setShowsAll(true)}>
          {texts.moreGroups(hiddenCount)}
        </Anchor>
      )}
    </section>
  );
}

function groupText({ kind, name, time }: TimelineSource, items: number): string {
  if (kind !== 'records') return texts.groups[kind](items);
  return time === 'stored'
    ? texts.groups.stored(isolateText(name), items)
    : texts.groups.records(isolateText(name), items);
}

function DayGroup(props: GroupItemsProps) {
  const { source, total } = props;
  const [isOpen, setIsOpen] = useState(source.kind === 'pictures' || source.entries);
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: `${LOAD_MARGIN_PX}px` });
  const [shouldLoad, setShouldLoad] = useState(false);
  if (entry?.isIntersecting === true && !shouldLoad) setShouldLoad(true);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div ref={ref} className={classes.group}>
      <UnstyledButton
        className={classes.groupHeader ?? ''}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        data-list-item
      >
        <Chevron size={16} stroke={1.6} aria-hidden="true" />
        <ChosenIcon icon={source.icon} colour={source.colour} />
        <span>{groupText(source, total)}</span>
      </UnstyledButton>
      {isOpen && (
        <div className={classes.items}>{shouldLoad ? <GroupItems {...props} /> : <LoadingSkeleton rows={2} />}</div>
      )}
    </div>
  );
}
