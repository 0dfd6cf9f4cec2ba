import { Skeleton } from '@mantine/core';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import {
  GridRow,
  HeaderCell,
  SelectCell,
  SelectHeader,
  skeletonWidth,
} from '../../../../shared/long-list/grid-parts.tsx';
import type { GridItem, GridProps } from '../../../../shared/long-list/use-grid.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import grid from '../../../../shared/long-list/grid.module.css';
import classes from './file-row.module.css';
import { toIsoTime, sizeOf, titleOf } from '../file-kinds.ts';
import { SharingBadge } from './sharing-badge.tsx';
import { Thumbnail } from './thumbnail.tsx';
import type { FilesView } from './use-files-view.ts';

const texts = m.files.list;
export const COLUMN_COUNT = 6;

interface FileHeaderProps extends Pick<GridProps<OwnerFile>, 'total' | 'selected' | 'onSelectVisible'> {
  view: FilesView;
  onSort: (sort: FilesView['sort']) => void;
}

export function FileHeader({ view, total, selected, onSelectVisible, onSort }: FileHeaderProps) {
  const headerProps = (sort: 'name' | 'size' | 'added') => ({
    label: texts[sort],
    hint: texts.sortBy(texts[sort]),
    sortDirection: view.sort === sort ? view.order : undefined,
    onSort: () => onSort(sort),
  });
  return (
    <div role="rowgroup" className={classes.header}>
      <div role="row" aria-rowindex={1} className={classes.row}>
        <SelectHeader total={total} selectedCount={selected.size} onSelectVisible={onSelectVisible} texts={texts} />
        <HeaderCell {...headerProps('name')} />
        <div role="columnheader" className={grid.headerCell} data-hidden-on-phone>
          {texts.source}
        </div>
        <div role="columnheader" className={grid.headerCell} data-hidden-on-phone>
          {texts.visibility}
        </div>
        <HeaderCell {...headerProps('size')} numeric hiddenOnPhone />
        <HeaderCell {...headerProps('added')} hiddenOnPhone />
      </div>
    </div>
  );
}

/** @param props.item undefined while loading */
export function FileRow({ item: file, onSelect, ...row }: GridItem<OwnerFile> & { top: number }) {
  return (
    <GridRow id={`file-${row.index}`} className={classes.row} {...row}>
      {file === undefined ? (
        <div role="gridcell" className={classes.placeholder} aria-colspan={COLUMN_COUNT}>
          <Skeleton height={12} width={skeletonWidth(row.index)} />
        </div>
      ) : (
        <Cells file={file} selected={row.selected} onSelect={onSelect} />
      )}
    </GridRow>
  );
}

interface CellsProps {
  file: OwnerFile;
  selected: boolean;
  onSelect: (range: boolean) => void;
}

function Cells({ file, selected, onSelect }: CellsProps) {
  const title = titleOf(file);
  const { name, source, tags = [], dateCreated } = file.file;
  const addedTime = toIsoTime(dateCreated);
  const details = [...(title === name ? [] : [name]), ...tags];
  return (
    <>
      <SelectCell label={texts.selectOne(title)} selected={selected} onSelect={onSelect} />
      <div role="gridcell" className={classes.nameCell}>
        <Thumbnail file={file} size="row" />
        <span className={classes.names}>
          <span className={classes.title} title={title}>
            {title}
          </span>
          {details.length > 0 && <span className={classes.details}>{details.join(' · ')}</span>}
          <span className={classes.phoneDetails}>
            {bytes(sizeOf(file))} · <RelativeTime at={addedTime} short />
          </span>
        </span>
      </div>
      <div role="gridcell" className={classes.secondaryCell} data-hidden-on-phone title={source}>
        {source}
      </div>
      <div role="gridcell" className={classes.sharingCell}>
        <SharingBadge file={file} />
      </div>
      <div role="gridcell" className={classes.secondaryCell} data-numeric data-hidden-on-phone>
        {bytes(sizeOf(file))}
      </div>
      <div role="gridcell" className={classes.secondaryCell} data-hidden-on-phone>
        <RelativeTime at={addedTime} short />
      </div>
    </>
  );
}
