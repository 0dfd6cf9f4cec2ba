import { Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Field, OwnerFile, TimelineItem, TimelineSource } from '../../../shared/api/contract.ts';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { clockTime } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { useFunctionName } from '../../api/functions/queries.ts';
import { endpointFields } from '../../api/queries.ts';
import { timelineItems } from '../../api/timeline.ts';
import { endpointPath, importPath, runPath } from '../../navigation.ts';
import { AccessLogItem } from '../history/access-rows.tsx';
import { DayPictures } from './day-pictures.tsx';
import { importText } from './entry-text.ts';
import { DayMap } from './map/day-map.tsx';
import { placesOfItems } from './map/places.ts';
import classes from './timeline-page.module.css';
import entryClasses from './entry.module.css';
import { RecordLine } from './record-line.tsx';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.timeline;
/** Limits memory use on days with many records. */
const MAX_PAGES = 10;
const NO_FIELDS: readonly Field[] = [];

export interface GroupItemsProps {
  source: TimelineSource;
  day: string;
  total: number;
  openPicture: (fileId: string, pictures: readonly OwnerFile[]) => void;
}

export function GroupItems({ source, day, total, openPicture }: GroupItemsProps) {
  const result = useInfiniteQuery(timelineItems(source.source, day));
  const fields = useQuery({ ...endpointFields(source.source), enabled: source.kind === 'records' && !source.entries });
  const shownFields = fields.data?.fields ?? NO_FIELDS;
  const pages = result.data?.pages;
  const items = useMemo(() => itemsOf(pages ?? []), [pages]);
  const places = useMemo(() => placesOfItems(items, shownFields), [items, shownFields]);
  if (result.data === undefined) return <QueryBoundary query={result} rows={Math.min(total, 5)} height={22} />;
  const pictures = items.flatMap((item) => (item.kind === 'picture' ? [item.file] : []));
  if (source.kind === 'pictures')
    return <DayPictures pictures={pictures} total={total} open={(fileId) => openPicture(fileId, pictures)} />;
  const isAtPageLimit = result.data.pages.length >= MAX_PAGES;
  return (
    <>
      <DayMap places={places} />
      <ol className={classes.list}>
        {items.map((item) => (
          <Item key={keyOf(item)} item={item} fields={shownFields} />
        ))}
      </ol>
      <QueryBoundary query={result} />
      {result.hasNextPage && !isAtPageLimit && (
        <Button
          variant="default"
          size="xs"
          loading={result.isFetchingNextPage}
          onClick={() => void result.fetchNextPage()}
        >
          {texts.moreOfDay}
        </Button>
      )}
      {result.hasNextPage && isAtPageLimit && source.kind === 'records' && (
        <TextLink to={endpointPath(source.source)}>{texts.allRecords}</TextLink>
      )}
    </>
  );
}

/** Returns each item once: new items shift the pages, so an item can be on two pages. */
function itemsOf(pages: readonly { items: readonly TimelineItem[] }[]): TimelineItem[] {
  return [...new Map(pages.flatMap((page) => page.items).map((item) => [keyOf(item), item])).values()];
}

function keyOf(item: TimelineItem): string {
  switch (item.kind) {
    case 'record':
      return item.recordId;
    case 'picture':
      return item.file.ledgerId;
    case 'import':
      return item.job.importId;
    case 'decision':
      return String(item.row.id);
    case 'run':
      return item.runId;
  }
}

function Item({ item, fields }: { item: TimelineItem; fields: readonly Field[] }) {
  switch (item.kind) {
    case 'record':
      return <RecordLine record={item} fields={fields} />;
    case 'decision':
      return <AccessLogItem row={item.row} timeOnly />;
    case 'import':
      return (
        <LinkLine
          time={item.job.finished}
          to={importPath(item.job.importId)}
          text={item.job.fileName}
          detail={importText(item.job)}
        />
      );
    case 'run':
      return <RunLine run={item} />;
    case 'picture':
      return null;
  }
}

function RunLine({ run }: { run: TimelineItem & { kind: 'run' } }) {
  const functionName = useFunctionName();
  return (
    <LinkLine
      time={run.finished}
      to={runPath(run.function, run.runId)}
      text={functionName(run.function)}
      detail={run.outcome === 'done' ? texts.runStored(run.records) : texts.runFailed}
    />
  );
}

interface LinkLineProps {
  time: string | null;
  to: string;
  text: string;
  detail: string;
}

function LinkLine({ time, to, text, detail }: LinkLineProps) {
  return (
    <li className={entryClasses.entry}>
      <span className={entryClasses.time}>{time === null ? '' : clockTime(time)}</span>
      <div className={entryClasses.content}>
        <TextLink to={to} data-list-item>
          <UntrustedText>{text}</UntrustedText>
        </TextLink>
        <Text fz="xs" c="dimmed" mt="xs">
          {detail}
        </Text>
      </div>
    </li>
  );
}
