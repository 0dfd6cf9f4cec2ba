import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { toProblem } from '../api/problem.ts';
import { RequestId, problemText } from './states.tsx';

/** Short messages about completed actions, at the edge of the page. */

const LONG = 10_000;
const SHORT = 5000;

export function showToast(title: string, text?: ReactNode): string {
  return notifications.show({ title, message: text, autoClose: text === undefined ? SHORT : LONG, color: 'teal' });
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
