import type { ImportJob } from '../../../shared/api/contract.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './kind-counts.module.css';

const words = m.imports.found;

/** What could not be read, and where. */
export function Troubles({ troubles }: { troubles: ImportJob['troubles'] }) {
  const { count, first } = troubles;
  if (count === 0) return null;
  return (
    <div className={classes.troubles}>
      <Callout tone="neutral" title={words.troubles(count)}>
        {words.troublesText(count)}
        {first.length > 0 && (
          <details className={classes.more}>
            <summary>{words.troublesFirst(first.length, count)}</summary>
            <ul>
              {first.map(({ place, problem }, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- two may say the same, and they never change
                <li key={at}>
                  {place}: {problem}
                </li>
              ))}
            </ul>
          </details>
        )}
      </Callout>
    </div>
  );
}
