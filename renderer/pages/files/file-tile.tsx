import { Skeleton } from '@mantine/core';
import type { OwnerFile } from '../../api/contract.ts';
import { SelectBox } from '../../components/long-list/grid-parts.tsx';
import type { GridItem } from '../../components/long-list/use-grid.ts';
import { bytes } from '../../format.ts';
import { m } from '../../messages/texts.ts';
import classes from './file-tile.module.css';
import { sizeOf, titleOf } from './kinds.ts';
import { SharedMark } from './shared-mark.tsx';
import { Thumb } from './thumb.tsx';

/** A file as a picture with its name below. */
export function FileTile({ index, item: file, active, chosen, onPress, onChoose }: GridItem<OwnerFile>) {
  return (
    <div
      role="gridcell"
      id={`file-${index}`}
      aria-selected={chosen}
      data-active={active || undefined}
      data-chosen={chosen || undefined}
      className={classes.tile}
      onClick={(event) => onPress(event.shiftKey)}
    >
      <span className={classes.picture}>
        {file === undefined ? <Skeleton height="100%" radius={0} /> : <Thumb file={file} size="tile" />}
        {file !== undefined && (
          <span className={classes.select} onClick={(event) => event.stopPropagation()}>
            <SelectBox label={m.files.list.selectOne(titleOf(file))} chosen={chosen} onChoose={onChoose} />
          </span>
        )}
      </span>
      {file !== undefined && (
        <span className={classes.words}>
          <span className={classes.title} title={titleOf(file)}>
            {titleOf(file)}
          </span>
          <span className={classes.soft}>
            {bytes(sizeOf(file))}
            <SharedMark file={file} short />
          </span>
        </span>
      )}
    </div>
  );
}
