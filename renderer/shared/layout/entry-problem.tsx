import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../api/problem.ts';
import { RequestId, problemText } from '../feedback/states.tsx';
import classes from './entry-problem.module.css';

interface EntryProblemProps {
  problem: Problem | undefined;
  invalidCredentialsText: string;
  children?: ReactNode;
}

/** The alert element exists from the start, so that screen readers announce later content. */
export function EntryProblem({ problem, invalidCredentialsText, children }: EntryProblemProps) {
  return (
    <div role="alert">
      {children !== undefined && <div className={classes.problem}>{children}</div>}
      {problem !== undefined && (
        <div className={classes.problem}>
          <Text>{problem.code === 'invalid_credentials' ? invalidCredentialsText : problemText(problem)}</Text>
          {problem.code !== 'invalid_credentials' && <RequestId problem={problem} />}
        </div>
      )}
    </div>
  );
}
