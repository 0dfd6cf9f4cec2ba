import { ActionIcon, Button, Checkbox, NativeSelect, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useState } from 'react';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { automaticColumns, type Column } from '../records/columns.ts';
import { type ColumnChoice, moveItem } from './column-choices.ts';
import classes from './columns-dialog.module.css';

const texts = m.recordTable.columns;
/** In pixels. */
const WIDTHS = { narrow: 96, medium: 200, wide: 400 };

function widthChoices(current: number | undefined): { value: string; label: string }[] {
  const choices = Object.entries(WIDTHS).map(([name, value]) => ({
    value: String(value),
    label: texts.widths[name as keyof typeof WIDTHS],
  }));
  const hasCustomWidth = current !== undefined && !choices.some(({ value }) => value === String(current));
  return [
    { value: '', label: texts.automatic },
    ...choices,
    ...(hasCustomWidth ? [{ value: String(current), label: texts.pixels(current) }] : []),
  ];
}

interface ColumnsDialogProps {
  opened: boolean;
  onClose: () => void;
  /** Including hidden columns. */
  columns: readonly Column[];
  /** In the order of the table. */
  shownColumns: readonly Column[];
  choices: readonly ColumnChoice[];
  /** @param choices empty for the automatic columns */
  onChange: (choices: readonly ColumnChoice[]) => void;
}

export function ColumnsDialog({ opened, onClose, ...props }: ColumnsDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.title}>
      {/* The key resets the rows, because columns can appear while the first records are loading. */}
      <ColumnList key={props.columns.length} {...props} />
      <Button mt="md" onClick={onClose}>
        {texts.done}
      </Button>
    </Dialog>
  );
}

interface Row {
  path: string;
  label: string;
  isShown: boolean;
  width: number | undefined;
}

function ColumnList({ columns, shownColumns, choices, onChange }: Omit<ColumnsDialogProps, 'opened' | 'onClose'>) {
  const rowsOf = (visibleColumns: readonly Column[], columnChoices: readonly ColumnChoice[]): Row[] => {
    const otherColumns = columns.filter(({ path }) => !visibleColumns.some((column) => column.path === path));
    return [...visibleColumns, ...otherColumns].map(({ path, label }) => ({
      path,
      label,
      isShown: !otherColumns.some((other) => other.path === path),
      width: columnChoices.find((choice) => choice.path === path)?.width,
    }));
  };
  const [rows, setRows] = useState(() => rowsOf(shownColumns, choices));
  const shownCount = rows.filter(({ isShown }) => isShown).length;
  const applyRows = (next: readonly Row[]) => {
    setRows([...next]);
    onChange(
      next
        .filter(({ isShown }) => isShown)
        .map(({ path, width }) => (width === undefined ? { path } : { path, width })),
    );
  };
  const changeRow = (path: string, change: Partial<Row>) =>
    applyRows(rows.map((row) => (row.path === path ? { ...row, ...change } : row)));
  const reset = () => {
    onChange([]);
    setRows(rowsOf(automaticColumns(columns), []));
  };
  return (
    <>
      <ul className={classes.list}>
        {rows.map(({ path, label, isShown, width }, index) => (
          <li key={path} className={classes.row}>
            <Checkbox
              className={classes.name ?? ''}
              label={<bdi>{label}</bdi>}
              checked={isShown}
              disabled={isShown && shownCount === 1}
              onChange={() => changeRow(path, { isShown: !isShown })}
            />
            <NativeSelect
              className={classes.width ?? ''}
              aria-label={texts.widthOf(label)}
              value={width ?? ''}
              data={widthChoices(width)}
              onChange={(event) => {
                const { value } = event.currentTarget;
                changeRow(path, { width: value === '' ? undefined : Number(value) });
              }}
            />
            <ActionIcon
              variant="default"
              size={40}
              aria-label={texts.moveUp(label)}
              aria-disabled={index === 0}
              onClick={() => applyRows(moveItem(rows, index, index - 1))}
            >
              <IconArrowUp size={16} stroke={1.6} />
            </ActionIcon>
            <ActionIcon
              variant="default"
              size={40}
              aria-label={texts.moveDown(label)}
              aria-disabled={index === rows.length - 1}
              onClick={() => applyRows(moveItem(rows, index, index + 1))}
            >
              <IconArrowDown size={16} stroke={1.6} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <Button variant="subtle" mt="sm" disabled={choices.length === 0} onClick={reset}>
        {texts.reset}
      </Button>
      <Text c="dimmed" mt="xs">
        {texts.hint}
      </Text>
    </>
  );
}
