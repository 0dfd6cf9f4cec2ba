import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface ActionButtonProps {
  /** Must itself show the result, including errors. */
  action: () => Promise<unknown>;
  /** Accessible name, if the page has several such buttons. */
  label?: string | undefined;
  title?: string | undefined;
  icon?: ReactNode;
  disabled?: boolean;
  /** Shows a red label. For actions that end access or discard data. */
  isDestructive?: boolean;
  /** True for the main button of a list item. */
  isListItem?: boolean;
  children: string;
}

export function ActionButton({
  action,
  label,
  title,
  icon,
  disabled = false,
  isDestructive = false,
  isListItem,
  children,
}: ActionButtonProps) {
  const [isBusy, setIsBusy] = useState(false);
  return (
    <Button
      variant="default"
      size="xs"
      {...(isDestructive ? { c: 'var(--stop)' } : {})}
      loading={isBusy}
      disabled={disabled}
      leftSection={icon}
      onClick={() => {
        setIsBusy(true);
        void action().finally(() => setIsBusy(false));
      }}
      aria-label={label}
      title={title}
      data-list-item={isListItem}
    >
      {children}
    </Button>
  );
}
