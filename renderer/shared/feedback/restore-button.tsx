import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface RestoreButtonProps {
  /** Restores the item and reports the result, including failures. */
  restore: () => Promise<void>;
  /** Accessible name, if the page has several of these buttons. */
  label?: string | undefined;
  icon?: ReactNode;
  children: string;
}

/** Button that restores a deleted item. Busy until the request ends. */
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
