import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../api/problem.ts';
import { RequestId, problemText } from '../feedback/states.tsx';
import classes from './entry-problem.module.css';

interface EntryProblemProps {
  problem: Problem | undefined;
  /** What is said when something of what was shown is wrong. */
  wrong: string;
  /** Why nobody came in although nothing was refused. */
  children?: ReactNode;
}

/** Why nobody came in. Its place is there from the beginning, so that what comes to stand in it is read out. */
export function EntryProblem({ problem, wrong, children }: EntryProblemProps) {
  return (
    <div role="alert">
      {children !== undefined && <div className={classes.problem}>{children}</div>}
      {problem !== undefined && (
        <div className={classes.problem}>
          <Text size="sm">{problem.code === 'invalid_credentials' ? wrong : problemText(problem)}</Text>
          {problem.code !== 'invalid_credentials' && <RequestId problem={problem} />}
        </div>
      )}
    </div>
  );
}
