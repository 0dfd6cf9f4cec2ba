import { Foreign } from '../foreign.tsx';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  term: string;
  value: ReactNode;
  /** Said louder than the others. */
  loud?: boolean;
}

/** Terms and what they are here, between hairlines. */
export function Facts({ facts }: { facts: readonly (Fact | false)[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(
        (fact) =>
          fact !== false && (
            <div key={fact.term} data-loud={fact.loud || undefined}>
              <dt>{fact.term}</dt>
              <dd>{typeof fact.value === 'string' ? <Foreign>{fact.value}</Foreign> : fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
