import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface ActionButtonProps {
  /** Runs the action and reports the result, including failures. */
  action: () => Promise<unknown>;
  /** Accessible name, if the page has several of these buttons. */
  label?: string | undefined;
  title?: string;
  icon?: ReactNode;
  /** Red label, for an action that ends access. */
  isStop?: boolean;
  children: string;
}

/** Small button that runs an action without a confirmation. Busy until the action ends. */
export function ActionButton({ action, label, title, icon, isStop = false, children }: ActionButtonProps) {
  const [isBusy, setIsBusy] = useState(false);
  return (
    <Button
      variant="default"
      size="xs"
      {...(isStop ? { c: 'var(--stop)' } : {})}
      loading={isBusy}
      leftSection={icon}
      onClick={() => {
        setIsBusy(true);
        void action().finally(() => setIsBusy(false));
      }}
      aria-label={label}
      title={title}
    >
      {children}
    </Button>
  );
}
