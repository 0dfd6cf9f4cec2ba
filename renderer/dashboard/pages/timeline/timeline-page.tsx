import { Button, CloseButton, NativeSelect, Text } from '@mantine/core';
import { IconTimelineEvent } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { timeline } from '../../api/timeline.ts';
import { DayField } from '../../../shared/form/day-field.tsx';
import { SearchField } from '../../../shared/form/search-field.tsx';
import { filesPath } from '../../navigation.ts';
import { PictureViewer } from '../files/gallery/picture-viewer.tsx';
import { ExampleDataOffer } from '../../components/example-data-offer.tsx';
import { Page } from '../../components/page.tsx';
import type { OwnerFile, Timeline, TimelineSource } from '../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { withParameters, useUrlQuery } from '../../../shared/form/use-url-query.ts';
import { m } from '../../../shared/messages/texts.ts';
import { type Jump, MonthSection } from './month-section.tsx';
import { MonthStrip } from './month-strip.tsx';
import { useScrollAnchor } from './use-scroll-anchor.ts';
import { SearchResults } from './search-results.tsx';
import classes from './timeline-page.module.css';

const texts = m.timeline;
/** Length of the month at the beginning of a day such as `2026-03-01`. */
const MONTH_CHARS = 7;

export function TimelinePage() {
  const [query, setQuery] = useUrlQuery();
  const source = query.get('source') ?? '';
  // Only records can be searched.
  const isSearchable = !Object.hasOwn(texts.kinds, source);
  const search = isSearchable ? (query.get('search') ?? '') : '';
  const filter = source === '' ? undefined : source;
  const result = useQuery(timeline(filter));
  const setParameters = (parameters: Readonly<Record<string, string>>) =>
    setQuery(withParameters(parameters), { preventScrollReset: true });
  const day = query.get('day') ?? '';
  const [jump, setJump] = useState<Jump | undefined>(day === '' ? undefined : { day });
  const releaseJump = useCallback(() => setJump(undefined), []);
  const jumpTo = (target: string) => {
    setQuery(withParameters({ day: target }), { replace: true, preventScrollReset: true });
    setJump(target === '' ? undefined : { day: target });
  };
  const { months = [], sources = [], earlier = 0 } = result.data ?? {};
  const sourcesByName = new Map(sources.map((item) => [item.source, item]));
  const isFiltered = source !== '' || search !== '';
  return (
    <Page title={texts.pageTitle} lead={texts.lead}>
      {(months.length > 0 || isFiltered) && (
        <section aria-label={texts.filter.label} className={classes.filter}>
          {isSearchable && (
            <SearchField
              label={texts.filter.search}
              value={search}
              onSearch={(text) => setParameters({ search: text.trim() })}
            />
          )}
          <NativeSelect
            label={texts.filter.source}
            value={source}
            data={sourceChoices(sources, source)}
            onChange={(event) => setParameters({ source: event.currentTarget.value })}
          />
          <DayField
            label={texts.filter.day}
            value={day}
            rightSection={
              day !== '' && <CloseButton size="sm" aria-label={texts.filter.clearDay} onClick={() => jumpTo('')} />
            }
            onChange={jumpTo}
          />
        </section>
      )}
      {result.data !== undefined && <Notices timeline={result.data} source={sourcesByName.get(source)} />}
      <QueryBoundary query={result} rows={10} height={22} />
      {result.data !== undefined && search !== '' && (
        <SearchResults text={search} filter={filter} sources={sourcesByName} />
      )}
      {result.data !== undefined && search === '' && months.length === 0 && (
        <NoEntries
          isFiltered={isFiltered}
          clear={() => {
            setParameters({ source: '', day: '' });
            releaseJump();
          }}
        />
      )}
      {search === '' && months.length > 0 && (
        <Months
          months={months}
          isComplete={earlier === 0}
          sourcesByName={sourcesByName}
          filter={filter}
          jump={jump}
          jumpTo={jumpTo}
          releaseJump={releaseJump}
        />
      )}
    </Page>
  );
}

interface MonthsProps {
  /** At least one. */
  months: Timeline['months'];
  /** False if there are earlier months that are not shown. */
  isComplete: boolean;
  sourcesByName: ReadonlyMap<string, TimelineSource>;
  filter: string | undefined;
  jump: Jump | undefined;
  jumpTo: (day: string) => void;
  /** Called when the owner scrolls, clicks or types after a jump. */
  releaseJump: () => void;
}

function Months({ months, isComplete, sourcesByName, filter, jump, jumpTo, releaseJump }: MonthsProps) {
  const [query, setQuery] = useUrlQuery();
  const navigate = useNavigate();
  const [visibleMonth, setVisibleMonth] = useState('');
  const list = useRef<HTMLDivElement>(null);
  useScrollAnchor(list, jump, releaseJump);
  const currentMonth = months.find(({ month }) => month === visibleMonth)?.month ?? months[0]?.month ?? '';
  const jumpMonth =
    jump === undefined
      ? undefined
      : (months.find(({ month }) => month <= jump.day.slice(0, MONTH_CHARS)) ?? months.at(-1))?.month;
  // Pictures of the group from which a picture was opened, for the previous and next buttons.
  const [pictures, setPictures] = useState<readonly OwnerFile[]>([]);
  const openPictureId = query.get('picture') ?? '';
  const pictureNear = (fileId: string, step: -1 | 0 | 1) => {
    const index = pictures.findIndex(({ file }) => file.fileId === fileId);
    return index === -1 ? undefined : pictures[index + step];
  };
  const showPicture = (fileId: string) => setQuery(withParameters({ picture: fileId }), { preventScrollReset: true });
  const stepPicture = (direction: -1 | 1) =>
    setQuery(
      (latest) => {
        const next = pictureNear(latest.get('picture') ?? '', direction);
        if (next !== undefined) latest.set('picture', next.file.fileId);
        return latest;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <>
      <MonthStrip months={months} current={currentMonth} onJump={jumpTo} />
      <div ref={list}>
        {months.map((month) => (
          <MonthSection
            key={`${filter ?? ''} ${month.month}`}
            month={month}
            filter={filter}
            sources={sourcesByName}
            jump={month.month === jumpMonth ? jump : undefined}
            onCurrent={setVisibleMonth}
            openPicture={(fileId, shownPictures) => {
              setPictures(shownPictures);
              showPicture(fileId);
            }}
          />
        ))}
      </div>
      {isComplete && (
        <Text c="dimmed" ta="center" mt="lg">
          {texts.end}
        </Text>
      )}
      <PictureViewer
        id={openPictureId === '' ? null : openPictureId}
        item={pictureNear(openPictureId, 0)}
        previous={pictureNear(openPictureId, -1)}
        next={pictureNear(openPictureId, 1)}
        step={stepPicture}
        openDetails={(fileId) => void navigate(filesPath({ file: fileId }))}
        close={() => showPicture('')}
      />
    </>
  );
}

interface NoticesProps {
  timeline: Timeline;
  source: TimelineSource | undefined;
}

function Notices({ timeline: { leftOut, counting, earlier }, source }: NoticesProps) {
  const notices = [
    ...(source !== undefined && source.excluded > 0 ? [texts.excluded(source.excluded)] : []),
    ...(leftOut.total > 0
      ? [
          texts.leftOut(
            leftOut.total,
            leftOut.first.map(({ name }) => isolateText(name)),
          ),
        ]
      : []),
    ...(counting ? [texts.counting] : []),
    ...(earlier > 0 ? [texts.earlier(earlier)] : []),
  ];
  return notices.map((notice) => (
    <Text key={notice} c="dimmed" mb="sm">
      {notice}
    </Text>
  ));
}

function sourceChoices(sources: readonly TimelineSource[], selected: string): { value: string; label: string }[] {
  const choices = sources.map(({ source, kind, name }) => ({
    value: source,
    label: kind === 'records' ? texts.filter.option(name, source) : texts.kinds[kind],
  }));
  const isMissing = selected !== '' && choices.every(({ value }) => value !== selected);
  return [
    { value: '', label: texts.filter.all },
    ...choices,
    ...(isMissing ? [{ value: selected, label: selected }] : []),
  ];
}

function NoEntries({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={IconTimelineEvent}
        title={texts.empty.filteredTitle}
        actions={
          <Button variant="default" onClick={clear}>
            {texts.empty.clear}
          </Button>
        }
      >
        {texts.empty.filteredText}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconTimelineEvent}
      title={texts.empty.title}
      actions={
        <>
          <ExampleDataOffer />
          <Button component={Link} to="/data/imports" variant="default" size="xs">
            {m.home.empty.importTitle}
          </Button>
          <Button component={Link} to="/functions" variant="default" size="xs">
            {texts.empty.functions}
          </Button>
        </>
      }
    >
      {texts.empty.text}
    </EmptyState>
  );
}
