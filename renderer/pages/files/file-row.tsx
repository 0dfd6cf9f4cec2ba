import { Checkbox, Skeleton, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { OwnerFile } from '../../api/contract.ts';
import { When } from '../../components/when.tsx';
import { bytes } from '../../format.ts';
import { m } from '../../messages/en.ts';
import classes from './file-row.module.css';
import { moment, sizeOf, titleOf } from './kinds.ts';
import { SharedMark } from './shared-mark.tsx';
import { Thumb } from './thumb.tsx';
import type { FilesView } from './use-files-view.ts';

const words = m.files.list;

export interface ItemProps {
  index: number;
  file: OwnerFile | undefined;
  active: boolean;
  chosen: boolean;
  onPress: (range: boolean) => void;
  onChoose: (range: boolean) => void;
}

interface FileHeadProps {
  view: FilesView;
  total: number;
  chosen: number;
  onChooseAll: (() => void) | undefined;
  onOrder: (sort: FilesView['sort']) => void;
}

export function FileHead({ view, total, chosen, onChooseAll, onOrder }: FileHeadProps) {
  const order = { view, onOrder };
  return (
    <div role="rowgroup" className={classes.head}>
      <div role="row" aria-rowindex={1} className={classes.row}>
        <div role="columnheader" className={classes.select}>
          {onChooseAll === undefined ? (
            <span className={classes.hiddenLabel}>{words.select}</span>
          ) : (
            <Checkbox
              size="xs"
              aria-label={words.selectAll}
              checked={chosen > 0 && chosen === total}
              indeterminate={chosen > 0 && chosen < total}
              onChange={onChooseAll}
            />
          )}
        </div>
        <HeadCell label={words.name} sort="name" {...order} />
        <div role="columnheader" className={classes.headCell} data-wide>
          {words.source}
        </div>
        <div role="columnheader" className={classes.headCell} data-wide>
          {words.who}
        </div>
        <HeadCell label={words.size} sort="size" numeric {...order} />
        <HeadCell label={words.added} sort="added" {...order} />
      </div>
    </div>
  );
}

interface HeadCellProps {
  label: string;
  sort: FilesView['sort'];
  numeric?: boolean;
  view: FilesView;
  onOrder: (sort: FilesView['sort']) => void;
}

function HeadCell({ label, sort, numeric = false, view, onOrder }: HeadCellProps) {
  const ordered = view.sort === sort;
  const Arrow = view.order === 'descending' ? IconArrowDown : IconArrowUp;
  return (
    <div
      role="columnheader"
      className={classes.headCell}
      data-numeric={numeric || undefined}
      data-wide={sort === 'name' ? undefined : true}
      aria-sort={ordered ? view.order : 'none'}
    >
      <UnstyledButton onClick={() => onOrder(sort)} title={words.sortBy(label)} className={classes.order}>
        <span>{label}</span>
        {ordered && <Arrow size={14} stroke={1.8} aria-hidden="true" />}
      </UnstyledButton>
    </div>
  );
}

export function FileRow({ index, file, active, chosen, onPress, onChoose, top }: ItemProps & { top: number }) {
  return (
    <div
      role="row"
      id={`file-${index}`}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      data-active={active || undefined}
      data-chosen={chosen || undefined}
      className={classes.row}
      style={{ transform: `translateY(${top}px)` }}
      onClick={(event) => {
        // Marking text in a line is not opening it.
        if (window.getSelection()?.isCollapsed === false && !event.shiftKey) return;
        onPress(event.shiftKey);
      }}
    >
      {file === undefined ? (
        <div role="gridcell" className={classes.waiting} aria-colspan={6}>
          <Skeleton height={12} width={`${30 + ((index * 37) % 45)}%`} />
        </div>
      ) : (
        <Cells file={file} chosen={chosen} onChoose={onChoose} />
      )}
    </div>
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
  const added = moment(dateCreated);
  const below = [...(title === name ? [] : [name]), ...tags];
  return (
    <>
      <div role="gridcell" className={classes.select} onClick={(event) => event.stopPropagation()}>
        <Checkbox
          size="xs"
          tabIndex={-1}
          aria-label={words.selectOne(title)}
          checked={chosen}
          onChange={(event) => onChoose((event.nativeEvent as MouseEvent).shiftKey)}
        />
      </div>
      <div role="gridcell" className={classes.what}>
        <Thumb file={file} size="line" />
        <span className={classes.names}>
          <span className={classes.title} title={title}>
            {title}
          </span>
          {below.length > 0 && <span className={classes.below}>{below.join(' · ')}</span>}
          <span className={classes.narrow}>
            {bytes(sizeOf(file))} · <When at={added} short />
          </span>
        </span>
      </div>
      <div role="gridcell" className={classes.soft} data-wide title={source}>
        {source}
      </div>
      <div role="gridcell" className={classes.who}>
        <SharedMark file={file} />
      </div>
      <div role="gridcell" className={classes.soft} data-numeric data-wide>
        {bytes(sizeOf(file))}
      </div>
      <div role="gridcell" className={classes.soft} data-wide>
        <When at={added} short />
      </div>
    </>
  );
}
