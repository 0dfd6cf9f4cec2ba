import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../shared/overlay/confirm.tsx';
import { showToast } from '../../shared/feedback/toasts.tsx';
import { invalidate } from '../api/queries.ts';

/** Something that can be done next, once it was asked whether it shall be. */
export interface NextAction {
  label: string;
  title: string;
  text: string;
  /** Something begins by it rather than ends. */
  isConstructive?: boolean;
  execute: () => Promise<unknown>;
  /** What is said once it is done. */
  doneText: string;
}

interface NextActionsProps {
  actions: readonly NextAction[];
  /** The other answer: to what begins, and to what ends. */
  words: { notYet: string; keep: string };
  /** What tells of it, and asks again. */
  invalidates: readonly string[];
  /** Reads anew what is shown behind the question, when it was not done: something may have come in between. */
  reload?: () => Promise<unknown>;
}

/** What can be done with what is shown, a button each. */
export function NextActions({ actions, words, invalidates, reload }: NextActionsProps) {
  const [clicked, setClicked] = useState<NextAction>();
  // As it is by now: it is about what is shown behind it, which can have been read anew since.
  const asked = actions.find(({ label }) => label === clicked?.label) ?? clicked;
  const run = async ({ execute, doneText }: NextAction) => {
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
      {actions.map((step) => (
        <Button
          key={step.label}
          variant={step.isConstructive === true ? 'filled' : 'default'}
          onClick={() => setClicked(step)}
        >
          {step.label}
        </Button>
      ))}
      {asked !== undefined && (
        <ConfirmDialog
          opened
          close={() => setClicked(undefined)}
          title={asked.title}
          keep={asked.isConstructive === true ? words.notYet : words.keep}
          submit={asked.label}
          begins={asked.isConstructive === true}
          onConfirm={() => run(asked)}
        >
          {asked.text}
        </ConfirmDialog>
      )}
    </>
  );
}
