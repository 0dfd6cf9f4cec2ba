import { Checkbox, Skeleton } from '@mantine/core';
import { bytes } from '../../format.ts';
import { m } from '../../messages/en.ts';
import type { ItemProps } from './file-row.tsx';
import classes from './file-tile.module.css';
import { sizeOf, titleOf } from './kinds.ts';
import { SharedMark } from './shared-mark.tsx';
import { Thumb } from './thumb.tsx';

/** A file as a picture with its name below. */
export function FileTile({ index, file, active, chosen, onPress, onChoose }: ItemProps) {
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
            <Checkbox
              size="xs"
              tabIndex={-1}
              aria-label={m.files.list.selectOne(titleOf(file))}
              checked={chosen}
              onChange={(event) => onChoose((event.nativeEvent as MouseEvent).shiftKey)}
            />
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
