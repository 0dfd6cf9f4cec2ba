import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../shared/overlay/confirm.tsx';
import { showToast } from '../../shared/feedback/toasts.tsx';
import { invalidate } from '../api/queries.ts';

export interface ItemAction {
  label: string;
  title: string;
  text: string;
  /** Default: true. */
  isDestructive?: boolean;
  execute: () => Promise<unknown>;
  doneText: string;
}

interface ItemActionsProps {
  actions: readonly ItemAction[];
  /** Labels of the cancel button: `keep` for destructive actions, `notYet` for others. */
  texts: { notYet: string; keep: string };
  invalidates: readonly string[];
  /** Reloads the item after a failure, because it may have changed in the meantime. */
  reload?: () => Promise<unknown>;
}

export function ItemActions({ actions, texts, invalidates, reload }: ItemActionsProps) {
  const [selectedAction, setSelectedAction] = useState<ItemAction>();
  // Looks the action up again, because the item may have been reloaded while the dialog was open.
  const currentAction = actions.find(({ label }) => label === selectedAction?.label) ?? selectedAction;
  const run = async ({ execute, doneText }: ItemAction) => {
    try {
      await execute();
    } catch (error) {
      await reload?.();
      throw error;
    }
    await invalidate(...invalidates);
    showToast(doneText);
  };
  return (
    <>
      {actions.map((action) => (
        <Button
          key={action.label}
          variant={action.isDestructive === false ? 'filled' : 'default'}
          onClick={() => setSelectedAction(action)}
        >
          {action.label}
        </Button>
      ))}
      {currentAction !== undefined && (
        <ConfirmDialog
          opened
          close={() => setSelectedAction(undefined)}
          title={currentAction.title}
          cancelLabel={currentAction.isDestructive === false ? texts.notYet : texts.keep}
          confirmLabel={currentAction.label}
          isDestructive={currentAction.isDestructive !== false}
          onConfirm={() => run(currentAction)}
        >
          {currentAction.text}
        </ConfirmDialog>
      )}
    </>
  );
}
