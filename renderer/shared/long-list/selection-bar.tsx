import { Button, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '../overlay/confirm.tsx';
import classes from './toolbar.module.css';

/** Selection of a list: `useList().selection`. */
export interface ListSelection {
  selectedCount: number;
  total: number;
  deleting: boolean;
  /** The selection is so large that deleting asks for a confirmation. */
  isAsking: boolean;
  onSelectAll: (() => void) | undefined;
  onDelete: () => void;
  onConfirm: () => Promise<void>;
  onCancel: () => void;
  onClear: () => void;
}

interface SelectionBarProps {
  selection: ListSelection;
  text: string;
  /** Exact number behind a rounded one in the text, shown as a tooltip. */
  exact?: string;
  /** Further actions, before the deletion. */
  actions?: ReactNode;
  words: {
    clear: string;
    clearSelection: string;
    selectAll: (total: number) => string;
    deleteSelected: (count: number) => string;
    confirm: { title: (count: number) => string; text: string; keep: string };
  };
}

/** Number of selected items and their actions. */
export function SelectionBar({ selection, text, exact, actions, words }: SelectionBarProps) {
  const { selectedCount, total, deleting, isAsking, onSelectAll, onDelete, onConfirm, onCancel, onClear } = selection;
  return (
    <div className={classes.selected}>
      <Text size="sm" fw={500} role="status" title={exact}>
        {text}
      </Text>
      {onSelectAll !== undefined && (
        <Button size="xs" variant="subtle" onClick={onSelectAll}>
          {words.selectAll(total)}
        </Button>
      )}
      {actions}
      <Button
        size="xs"
        variant="default"
        c="var(--stop)"
        loading={deleting}
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={onDelete}
      >
        {words.deleteSelected(selectedCount)}
      </Button>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        c="var(--ink-soft)"
        aria-label={words.clearSelection}
        onClick={onClear}
      >
        {words.clear}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        close={onCancel}
        title={words.confirm.title(selectedCount)}
        keep={words.confirm.keep}
        submit={words.deleteSelected(selectedCount)}
        onConfirm={onConfirm}
      >
        {words.confirm.text}
      </ConfirmDialog>
    </div>
  );
}
