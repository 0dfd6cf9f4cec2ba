import { Switch, Text, Title } from '@mantine/core';
import type { FoundExport } from '../../../shared/api/contract.ts';
import { JsonText } from '../../../shared/components/json-text.tsx';
import { day, number } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './kind-counts.module.css';
import { Troubles } from './error-list.tsx';

const words = m.imports.found;

/** "3 events"; of what an older or newer PDA may name, the number and the name. */
export function kindWords(endpoint: string, n: number): string {
  return m.imports.kinds[endpoint]?.(n) ?? `${number(n)} ${endpoint}`;
}

const shownDay = (date: string): string => day(`${date}T12:00:00`);

interface FoundKindsProps {
  found: FoundExport;
  /** Endpoints that are not wanted; undefined: there is nothing to choose. */
  unwanted: ReadonlySet<string> | undefined;
  change: (endpoint: string, wanted: boolean) => void;
}

/** What is in an export, in plain words, with a switch for each kind. */
export function FoundKinds({ found, unwanted, change }: FoundKindsProps) {
  const counted = (endpoint: string, n: number): string => {
    const text = kindWords(endpoint, n);
    return found.complete ? text : words.more(text);
  };
  const all = found.kinds.map(({ endpoint, count }) => counted(endpoint, count)).join(', ');
  return (
    <section>
      <Title order={2}>{words.said(words.sources[found.source], all)}</Title>
      {!found.complete && (
        <Text size="sm" c="dimmed">
          {words.incomplete}
        </Text>
      )}
      <ul className={classes.kinds}>
        {found.kinds.map(({ endpoint, count, first, last, samples }) => (
          <li key={endpoint} className={classes.kind}>
            <div className={classes.line}>
              {unwanted === undefined ? (
                <Text fw={500}>{counted(endpoint, count)}</Text>
              ) : (
                <Switch
                  label={counted(endpoint, count)}
                  checked={!unwanted.has(endpoint)}
                  onChange={(event) => change(endpoint, event.currentTarget.checked)}
                />
              )}
              <span className={classes.soft}>
                {first !== null && last !== null && words.between(shownDay(first), shownDay(last))}
              </span>
            </div>
            <span className={classes.soft}>{words.into(endpoint)}</span>
            <details className={classes.more}>
              <summary>{words.samples}</summary>
              {samples.map((sample, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- the sample never changes its order
                <div key={at} className={classes.sample}>
                  <JsonText value={sample} />
                </div>
              ))}
            </details>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed" my="sm">
        {found.leftOut > 0 && `${words.leftOut(found.leftOut)} `}
        {words.twice}
      </Text>
      <Troubles troubles={found.troubles} />
    </section>
  );
}
