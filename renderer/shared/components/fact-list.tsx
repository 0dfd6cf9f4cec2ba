import { UntrustedText } from './untrusted-text.tsx';
import type { ReactNode } from 'react';
import classes from './fact-list.module.css';

export interface Fact {
  term: string;
  value: ReactNode;
  emphasised?: boolean;
}

/** Skips `false` entries. */
export function FactList({ facts }: { facts: readonly (Fact | false)[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(
        (fact, index) =>
          fact !== false && (
            // oxlint-disable-next-line react/no-array-index-key -- terms can repeat, and facts keep their positions
            <div key={index} data-emphasised={fact.emphasised || undefined}>
              <dt>{fact.term}</dt>
              <dd>{typeof fact.value === 'string' ? <UntrustedText>{fact.value}</UntrustedText> : fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
