import { Checkbox, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './grid.module.css';
import type { GridItem, GridProps } from './use-grid.ts';

/** Returns a varying width from 30 to 74 percent, so that loading rows resemble text. */
export const skeletonWidth = (index: number): string => `${30 + ((index * 37) % 45)}%`;

type SelectHeaderProps = Pick<GridProps<unknown>, 'total' | 'onSelectVisible'> & {
  selectedCount: number;
  texts: { selectShown: string };
};

export function SelectHeader({ total, selectedCount, onSelectVisible, texts }: SelectHeaderProps) {
  return (
    <div role="columnheader" className={classes.selectCell}>
      <Checkbox
        size="xs"
        aria-label={texts.selectShown}
        checked={selectedCount > 0 && selectedCount === total}
        indeterminate={selectedCount > 0 && selectedCount < total}
        onChange={onSelectVisible}
      />
    </div>
  );
}

interface HeaderCellProps {
  label: string;
  /** Icon before the label. Must be hidden from screen readers. */
  icon?: ReactNode;
  hint?: string;
  /** Undefined if the list is not sorted by this column. */
  sortDirection?: 'ascending' | 'descending' | undefined;
  /** Rank of this column among several sort orders, from 1. */
  sortRank?: number | undefined;
  /**
   * Sorts by this column; undefined for an unsortable column.
   * @param additional true if Shift is held: adds a sort order instead of replacing the others
   */
  onSort?: (additional: boolean) => void;
  numeric?: boolean;
  hiddenOnPhone?: boolean;
  resizer?: ReactNode;
}

export function HeaderCell({
  label,
  icon,
  hint,
  sortDirection,
  sortRank,
  onSort,
  numeric = false,
  hiddenOnPhone = false,
  resizer,
}: HeaderCellProps) {
  const Arrow = sortDirection === 'descending' ? IconArrowDown : IconArrowUp;
  return (
    <div
      role="columnheader"
      className={classes.headerCell}
      data-numeric={numeric || undefined}
      data-hidden-on-phone={hiddenOnPhone || undefined}
      aria-sort={sortDirection ?? 'none'}
      // The accessible name must not include the name of the resizer.
      aria-label={resizer === undefined ? undefined : label}
    >
      {onSort === undefined ? (
        <span>
          {icon}
          {label}
        </span>
      ) : (
        <UnstyledButton onClick={(event) => onSort(event.shiftKey)} title={hint} className={classes.sortButton}>
          <span>
            {icon}
            {label}
          </span>
          {sortDirection !== undefined && <Arrow size={14} stroke={1.8} aria-hidden="true" />}
          {sortRank !== undefined && <small aria-hidden="true">{sortRank}</small>}
        </UnstyledButton>
      )}
      {resizer}
    </div>
  );
}

type GridRowProps = Omit<GridItem<unknown>, 'item' | 'onSelect'> & {
  id: string;
  top: number;
  className: string | undefined;
  children: ReactNode;
};

export function GridRow({ id, index, top, active, selected, onPress, className, children }: GridRowProps) {
  return (
    <div
      role="row"
      id={id}
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-active={active || undefined}
      data-selected={selected || undefined}
      className={className}
      style={{ transform: `translateY(${top}px)` }}
      onClick={(event) => {
        // Selecting text in a row must not open the row.
        if (window.getSelection()?.isCollapsed === false && !event.shiftKey) return;
        onPress(event.shiftKey);
      }}
    >
      {children}
    </div>
  );
}

interface SelectBoxProps {
  label: string;
  selected: boolean;
  onSelect: (withShift: boolean) => void;
  disabled?: boolean;
}

/** Not in the tab order: the keyboard selects the active item instead. */
export function SelectBox({ label, selected, onSelect, disabled = false }: SelectBoxProps) {
  return (
    <Checkbox
      size="xs"
      tabIndex={-1}
      aria-label={label}
      checked={selected}
      disabled={disabled}
      onChange={(event) => onSelect((event.nativeEvent as MouseEvent).shiftKey)}
    />
  );
}

export function SelectCell(props: SelectBoxProps) {
  return (
    <div role="gridcell" className={classes.selectCell} onClick={(event) => event.stopPropagation()}>
      <SelectBox {...props} />
    </div>
  );
}
