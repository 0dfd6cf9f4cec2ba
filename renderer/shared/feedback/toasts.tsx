import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { toProblem } from '../api/problem.ts';
import { m } from '../messages/texts.ts';
import { RequestId, problemText } from './states.tsx';

const TOAST_MS = 5000;
const TOAST_WITH_TEXT_MS = 10_000;

export function showToast(title: string, text?: ReactNode): string {
  return notifications.show({
    title,
    message: text,
    autoClose: text === undefined ? TOAST_MS : TOAST_WITH_TEXT_MS,
    color: 'teal',
  });
}

export function showProblemToast(title: string, error: unknown): void {
  const problem = toProblem(error);
  notifications.show({
    title,
    color: 'brick',
    autoClose: false,
    message: (
      <>
        {problemText(problem)}
        <RequestId problem={problem} />
      </>
    ),
  });
}

/** Runs an action. Shows an error as a toast. Returns true on success. */
export async function runWithToast(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
    return false;
  }
}
