import { Button } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';

interface DeletedLineProps {
  title: string;
  icon?: Icon;
  /** None where it cannot be brought back any more. */
  undo: (() => Promise<void>) | undefined;
  words: { undo: string; undoLabel: (title: string) => string };
  children: ReactNode;
}

/** What was deleted, what is known of that, and the way back. */
export function DeletedLine({ title, icon: Sign, undo, words, children }: DeletedLineProps) {
  const [busy, setBusy] = useState(false);
  return (
    <li data-gone={undo === undefined || undefined}>
      {Sign !== undefined && <Sign size={20} stroke={1.5} aria-hidden="true" />}
      <div>
        <strong>{title}</strong>
        {children}
      </div>
      {undo !== undefined && (
        <Button
          variant="default"
          size="xs"
          loading={busy}
          onClick={() => {
            setBusy(true);
            void undo().finally(() => setBusy(false));
          }}
          aria-label={words.undoLabel(title)}
        >
          {words.undo}
        </Button>
      )}
    </li>
  );
}
