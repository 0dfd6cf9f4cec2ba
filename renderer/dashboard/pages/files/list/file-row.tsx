import { Skeleton } from '@mantine/core';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { GridRow, HeadCell, SelectCell, SelectHead } from '../../../../shared/long-list/grid-parts.tsx';
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

const words = m.files.list;
export const COLUMN_COUNT = 6;

interface FileHeadProps extends Pick<GridProps<OwnerFile>, 'total' | 'chosen' | 'onChooseShown'> {
  view: FilesView;
  onOrder: (sort: FilesView['sort']) => void;
}

export function FileHead({ view, total, chosen, onChooseShown, onOrder }: FileHeadProps) {
  const headProps = (sort: 'name' | 'size' | 'added') => ({
    label: words[sort],
    hint: words.sortBy(words[sort]),
    order: view.sort === sort ? view.order : undefined,
    onOrder: () => onOrder(sort),
  });
  return (
    <div role="rowgroup" className={classes.head}>
      <div role="row" aria-rowindex={1} className={classes.row}>
        <SelectHead total={total} chosen={chosen.size} onChooseShown={onChooseShown} words={words} />
        <HeadCell {...headProps('name')} />
        <div role="columnheader" className={grid.headCell} data-wide>
          {words.source}
        </div>
        <div role="columnheader" className={grid.headCell} data-wide>
          {words.who}
        </div>
        <HeadCell {...headProps('size')} numeric wide />
        <HeadCell {...headProps('added')} wide />
      </div>
    </div>
  );
}

export function FileRow({ item: file, onChoose, ...row }: GridItem<OwnerFile> & { top: number }) {
  return (
    <GridRow id={`file-${row.index}`} className={classes.row} {...row}>
      {file === undefined ? (
        <div role="gridcell" className={classes.waiting} aria-colspan={COLUMN_COUNT}>
          <Skeleton height={12} width={`${30 + ((row.index * 37) % 45)}%`} />
        </div>
      ) : (
        <Cells file={file} chosen={row.chosen} onChoose={onChoose} />
      )}
    </GridRow>
  );
}

interface CellsProps {
  file: OwnerFile;
  chosen: boolean;
  onChoose: (range: boolean) => void;
}

function Cells({ file, chosen, onChoose }: CellsProps) {
  const title = titleOf(file);
  const { name, source, tags = [], dateCreated } = file.file;
  const added = toIsoTime(dateCreated);
  const details = [...(title === name ? [] : [name]), ...tags];
  return (
    <>
      <SelectCell label={words.selectOne(title)} chosen={chosen} onChoose={onChoose} />
      <div role="gridcell" className={classes.nameCell}>
        <Thumbnail file={file} size="line" />
        <span className={classes.names}>
          <span className={classes.title} title={title}>
            {title}
          </span>
          {details.length > 0 && <span className={classes.below}>{details.join(' · ')}</span>}
          <span className={classes.narrow}>
            {bytes(sizeOf(file))} · <RelativeTime at={added} short />
          </span>
        </span>
      </div>
      <div role="gridcell" className={classes.soft} data-wide title={source}>
        {source}
      </div>
      <div role="gridcell" className={classes.sharing}>
        <SharingBadge file={file} />
      </div>
      <div role="gridcell" className={classes.soft} data-numeric data-wide>
        {bytes(sizeOf(file))}
      </div>
      <div role="gridcell" className={classes.soft} data-wide>
        <RelativeTime at={added} short />
      </div>
    </>
  );
}
