import { Skeleton } from '@mantine/core';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { SelectBox } from '../../../../shared/long-list/grid-parts.tsx';
import type { GridItem } from '../../../../shared/long-list/use-grid.ts';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './file-tile.module.css';
import { sizeOf, titleOf } from '../file-kinds.ts';
import { SharingBadge } from './sharing-badge.tsx';
import { Thumbnail } from './thumbnail.tsx';

export function FileTile({ index, item: file, active, selected, onPress, onSelect }: GridItem<OwnerFile>) {
  return (
    <div
      role="gridcell"
      id={`file-${index}`}
      aria-selected={selected}
      data-active={active || undefined}
      data-selected={selected || undefined}
      className={classes.tile}
      onClick={(event) => onPress(event.shiftKey)}
    >
      <span className={classes.picture}>
        {file === undefined ? <Skeleton height="100%" radius={0} /> : <Thumbnail file={file} size="tile" />}
        {file !== undefined && (
          <span className={classes.selectCheckbox} onClick={(event) => event.stopPropagation()}>
            <SelectBox label={m.files.list.selectOne(titleOf(file))} selected={selected} onSelect={onSelect} />
          </span>
        )}
      </span>
      {file !== undefined && (
        <span className={classes.caption}>
          <span className={classes.title} title={titleOf(file)}>
            {titleOf(file)}
          </span>
          <span className={classes.secondaryText}>
            {bytes(sizeOf(file))}
            <SharingBadge file={file} short />
          </span>
        </span>
      )}
    </div>
  );
}
