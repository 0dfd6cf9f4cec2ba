import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface RestoreButtonProps {
  /** Reports its result to the owner, including failures. */
  restore: () => Promise<void>;
  /** The accessible name where several of these buttons are on a page. */
  label?: string | undefined;
  icon?: ReactNode;
  children: string;
}

/** Restores a deleted item; busy until that has ended. */
export function RestoreButton({ restore, label, icon, children }: RestoreButtonProps) {
  const [isBusy, setIsBusy] = useState(false);
  return (
    <Button
      variant="default"
      size="xs"
      loading={isBusy}
      leftSection={icon}
      onClick={() => {
        setIsBusy(true);
        void restore().finally(() => setIsBusy(false));
      }}
      aria-label={label}
    >
      {children}
    </Button>
  );
}
