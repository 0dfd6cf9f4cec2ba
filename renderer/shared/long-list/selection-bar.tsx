import { Button, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '../overlay/confirm.tsx';
import classes from './toolbar.module.css';

export interface ListSelection {
  selectedCount: number;
  total: number;
  isDeleting: boolean;
  /** True while the owner must confirm the deletion of a large selection. */
  isConfirming: boolean;
  onSelectAll: (() => void) | undefined;
  onDelete: () => void;
  onConfirm: () => Promise<void>;
  onCancel: () => void;
  onClear: () => void;
}

interface SelectionBarProps {
  selection: ListSelection;
  text: string;
  tooltip?: string;
  actions?: ReactNode;
  texts: {
    clear: string;
    clearSelection: string;
    selectAll: (total: number) => string;
    deleteSelected: (count: number) => string;
    confirm: { title: (count: number) => string; text: string; keep: string };
  };
}

export function SelectionBar({ selection, text, tooltip, actions, texts }: SelectionBarProps) {
  const { selectedCount, total, isDeleting, isConfirming, onSelectAll, onDelete, onConfirm, onCancel, onClear } =
    selection;
  return (
    <div className={classes.selection}>
      <Text fw={500} role="status" title={tooltip}>
        {text}
      </Text>
      {onSelectAll !== undefined && (
        <Button size="xs" variant="subtle" onClick={onSelectAll}>
          {texts.selectAll(total)}
        </Button>
      )}
      {actions}
      <Button
        size="xs"
        variant="default"
        c="var(--stop)"
        loading={isDeleting}
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={onDelete}
      >
        {texts.deleteSelected(selectedCount)}
      </Button>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        c="var(--ink-soft)"
        aria-label={texts.clearSelection}
        onClick={onClear}
      >
        {texts.clear}
      </Button>
      <ConfirmDialog
        opened={isConfirming}
        close={onCancel}
        title={texts.confirm.title(selectedCount)}
        cancelLabel={texts.confirm.keep}
        confirmLabel={texts.deleteSelected(selectedCount)}
        onConfirm={onConfirm}
      >
        {texts.confirm.text}
      </ConfirmDialog>
    </div>
  );
}
