import { Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPhotoOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { Field } from '../../../../../../server/wire/fields.ts';
import { QueryBoundary } from '../../../../../shared/feedback/query-boundary.tsx';
import { EmptyState, LoadError } from '../../../../../shared/feedback/states.tsx';
import { evenRows } from '../../../../../shared/long-list/grid-rows.ts';
import { range, useGrid, type ViewRange } from '../../../../../shared/long-list/use-grid.ts';
import { usePages } from '../../../../../shared/long-list/use-pages.ts';
import { TILE_HEIGHT_PX, useTilesPerRow } from '../../../../../shared/long-list/use-tiles-per-row.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import type { PinnedChartSettings } from '../../../../api/pinned-charts.ts';
import { useBaseUrl } from '../../../../api/queries.ts';
import { recordPath } from '../../../../navigation.ts';
import type { ValueType } from '../../records/field-format.ts';
import { type ChartFrame, FigureSection } from '../chart-figure.tsx';
import { PinButton } from '../pin-button.tsx';
import type { ResolvedChart } from '../resolve-chart.ts';
import { GALLERY_PAGE_SIZE, type GalleryItem, galleryPage, type GalleryRequest } from './gallery-page.ts';
import classes from './gallery.module.css';
import { PictureTile, TileContent } from './picture-tile.tsx';

const texts = m.charts.gallery;
const MAX_PICTURES_ON_HOME = 6;

interface GalleryChartProps {
  endpoint: string;
  /** `field` contains the picture, and `time` the time of a record. */
  chart: ResolvedChart & { field: Field };
  total: number;
  revision: string;
  frame: ChartFrame;
}

/** Returns only the properties that determine the format, so that new records do not change the request. */
function valueTypeOf(field: Field | undefined): ValueType | undefined {
  if (field === undefined) return undefined;
  const { path, type, unit, timeFormat } = field;
  return { path, type, unit, timeFormat };
}

/** Shows the newest pictures first; on Home, only `MAX_PICTURES_ON_HOME` pictures. */
export function GalleryChart({ endpoint, chart, total, revision, frame }: GalleryChartProps) {
  const { baseUrl } = useBaseUrl();
  const isOnHome = frame.location === 'home';
  const request: GalleryRequest = {
    endpoint,
    picture: chart.field.path,
    title: valueTypeOf(chart.title),
    time: valueTypeOf(chart.time),
    ownOrigins: [location.origin, new URL(baseUrl).origin],
  };
  const firstPage = useQuery({
    ...(isOnHome
      ? galleryPage(request, 0, MAX_PICTURES_ON_HOME, revision)
      : galleryPage(request, 0, GALLERY_PAGE_SIZE)),
    // On Home, the pictures stay while those of the next revision load.
    placeholderData: (previous) => (isOnHome ? previous : undefined),
  });
  if (firstPage.isPending || firstPage.isError) return <QueryBoundary query={firstPage} rows={8} height={32} />;
  const { total: pictureCount, items } = firstPage.data;
  const title = isOnHome ? texts.titleWithField(pictureCount, chart.field.name) : texts.title(pictureCount);
  // On Home, a large endpoint is not refetched after each change, so the number of pictures may be out of date.
  const isCurrent = !isOnHome || revision !== '';
  const notes = [
    ...(isCurrent && pictureCount < total ? [texts.without(total - pictureCount, total)] : []),
    ...(items.some(({ picture }) => picture.kind === 'external') ? [texts.notLoaded] : []),
  ];
  const settings: PinnedChartSettings = { kind: 'gallery', field: chart.field.path, time: chart.time?.path };
  return (
    <FigureSection
      frame={frame}
      title={title}
      actions={frame.location === 'page' && <PinButton endpoint={endpoint} settings={settings} />}
      notes={notes}
    >
      {frame.location === 'home' ? (
        <NewestPictures items={items} />
      ) : pictureCount === 0 ? (
        <EmptyState icon={IconPhotoOff} title={m.charts.emptyTitle}>
          {texts.empty}
        </EmptyState>
      ) : (
        <PictureGrid key={JSON.stringify(request)} request={request} total={pictureCount} onOpen={frame.onOpen} />
      )}
    </FigureSection>
  );
}

function NewestPictures({ items }: { items: readonly GalleryItem[] }) {
  if (items.length === 0) return <Text c="dimmed">{texts.empty}</Text>;
  return (
    <ul className={classes.newestPictures} aria-label={texts.label}>
      {items.map((item) => (
        <li key={item.recordId}>
          <Link to={recordPath(item.recordId)} className={classes.link ?? ''}>
            <TileContent item={item} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

const NONE_SELECTED: ReadonlyMap<string, GalleryItem> = new Map();
const ignore = (): void => undefined;

interface PictureGridProps {
  request: GalleryRequest;
  total: number;
  onOpen: (recordId: string) => void;
}

function PictureGrid({ request, total, onOpen }: PictureGridProps) {
  const isPhone = useMediaQuery('(max-width: 48em)');
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const columns = useTilesPerRow(scroller, isPhone);
  const [view, setView] = useState<ViewRange>({ first: 0, last: 0, visibleFirst: 0, visibleLast: 0 });
  const lastInView = Math.max(view.visibleFirst, Math.min(view.visibleLast, total - 1));
  const pages = usePages(
    (skip, take) => galleryPage(request, skip, take),
    ({ items }) => items,
    view.visibleFirst,
    lastInView,
    GALLERY_PAGE_SIZE,
  );
  const rows = useMemo(() => evenRows(total, columns), [total, columns]);
  const { list, itemAt, scrollerProps } = useGrid<GalleryItem>(
    {
      total,
      get: pages.get,
      id: ({ recordId }) => recordId,
      selected: NONE_SELECTED,
      onSelect: ignore,
      onSelectVisible: ignore,
      onOpen: ({ recordId }) => onOpen(recordId),
      onDelete: ignore,
      onView: setView,
      startAt: 0,
      handle: null,
    },
    {
      scroller,
      rows,
      isSingleColumn: false,
      unitHeight: TILE_HEIGHT_PX,
      headHeight: 0,
      idPrefix: 'picture',
    },
  );
  return (
    <>
      <div
        ref={setScroller}
        {...scrollerProps}
        aria-multiselectable={undefined}
        className={classes.grid}
        aria-label={texts.label}
        aria-description={texts.keys}
        aria-rowcount={rows.rowCount}
        aria-colcount={columns}
        style={{ '--tiles-per-row': columns, '--row-height': `${TILE_HEIGHT_PX}px` } as React.CSSProperties}
      >
        <div role="rowgroup" className={classes.body} style={{ blockSize: list.height }}>
          {rows.between(list.first, list.last).map(
            (row) =>
              row.kind === 'items' && (
                <div
                  key={row.unit}
                  role="row"
                  aria-rowindex={row.number + 1}
                  className={classes.tiles}
                  style={{ transform: `translateY(${list.top(row.unit)}px)` }}
                >
                  {range(row.first, row.last).map((index) => (
                    <PictureTile key={index} {...itemAt(index)} />
                  ))}
                </div>
              ),
          )}
        </div>
      </div>
      {pages.error !== null && <LoadError error={pages.error} retry={pages.retry} />}
      <Text c="dimmed">{m.data.endpoint.range(view.visibleFirst + 1, lastInView + 1, total)}</Text>
    </>
  );
}
