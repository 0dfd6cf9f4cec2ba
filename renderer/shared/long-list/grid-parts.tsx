import { Checkbox, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './grid.module.css';
import type { GridItem, GridProps } from './use-grid.ts';

type SelectHeadProps = Pick<GridProps<unknown>, 'total' | 'onChooseShown'> & {
  chosen: number;
  words: { selectShown: string };
};

export function SelectHead({ total, chosen, onChooseShown, words }: SelectHeadProps) {
  return (
    <div role="columnheader" className={classes.select}>
      <Checkbox
        size="xs"
        aria-label={words.selectShown}
        checked={chosen > 0 && chosen === total}
        indeterminate={chosen > 0 && chosen < total}
        onChange={onChooseShown}
      />
    </div>
  );
}

interface HeadCellProps {
  label: string;
  hint?: string;
  /** Sort direction, if the list is sorted by this column. */
  order?: 'ascending' | 'descending' | undefined;
  /** Sorts by this column; undefined if it cannot be sorted. */
  onOrder?: () => void;
  numeric?: boolean;
  /** Hidden on a phone. */
  wide?: boolean;
}

export function HeadCell({ label, hint, order, onOrder, numeric = false, wide = false }: HeadCellProps) {
  const Arrow = order === 'descending' ? IconArrowDown : IconArrowUp;
  return (
    <div
      role="columnheader"
      className={classes.headCell}
      data-numeric={numeric || undefined}
      data-wide={wide || undefined}
      aria-sort={order ?? 'none'}
    >
      {onOrder === undefined ? (
        <span>{label}</span>
      ) : (
        <UnstyledButton onClick={onOrder} title={hint} className={classes.order}>
          <span>{label}</span>
          {order !== undefined && <Arrow size={14} stroke={1.8} aria-hidden="true" />}
        </UnstyledButton>
      )}
    </div>
  );
}

type GridRowProps = Omit<GridItem<unknown>, 'item' | 'onChoose'> & {
  id: string;
  top: number;
  className: string | undefined;
  children: ReactNode;
};

export function GridRow({ id, index, top, active, chosen, onPress, className, children }: GridRowProps) {
  return (
    <div
      role="row"
      id={id}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      data-active={active || undefined}
      data-chosen={chosen || undefined}
      className={className}
      style={{ transform: `translateY(${top}px)` }}
      onClick={(event) => {
        // Selecting text in a row must not open it.
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
  chosen: boolean;
  onChoose: (range: boolean) => void;
  disabled?: boolean;
}

/** Checkbox for the mouse. The keyboard selects the active row instead. */
export function SelectBox({ label, chosen, onChoose, disabled = false }: SelectBoxProps) {
  return (
    <Checkbox
      size="xs"
      tabIndex={-1}
      aria-label={label}
      checked={chosen}
      disabled={disabled}
      onChange={(event) => onChoose((event.nativeEvent as MouseEvent).shiftKey)}
    />
  );
}

export function SelectCell(props: SelectBoxProps) {
  return (
    <div role="gridcell" className={classes.select} onClick={(event) => event.stopPropagation()}>
      <SelectBox {...props} />
    </div>
  );
}
