import { Button, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import classes from './toolbar.module.css';

interface ChosenBarProps {
  text: string;
  /** The same more exactly, for whoever rests on it. */
  exact?: string;
  deleteText: string;
  deleting: boolean;
  onDelete: () => void;
  onClear: () => void;
  words: { clear: string; clearSelection: string };
}

/** How many are chosen, and what can be done with them. */
export function ChosenBar({ text, exact, deleteText, deleting, onDelete, onClear, words }: ChosenBarProps) {
  return (
    <div className={classes.chosen}>
      <Text size="sm" fw={500} role="status" title={exact}>
        {text}
      </Text>
      <Button
        size="xs"
        variant="default"
        c="var(--stop)"
        loading={deleting}
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={onDelete}
      >
        {deleteText}
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
    </div>
  );
}
