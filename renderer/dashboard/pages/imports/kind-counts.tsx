import { Switch, Text, Title } from '@mantine/core';
import type { DetectedExport } from '../../../shared/api/contract.ts';
import { JsonText } from '../../../shared/components/json-text.tsx';
import { day, number } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './kind-counts.module.css';
import { ImportErrors } from './error-list.tsx';

const texts = m.imports.contents;

/** Returns a count such as "3 events", or the number and the endpoint for a kind that this version does not know. */
export function kindCountText(endpoint: string, n: number): string {
  return m.imports.kinds[endpoint]?.(n) ?? `${number(n)} ${endpoint}`;
}

const formatDay = (date: string): string => day(`${date}T12:00:00`);

interface KindCountsProps {
  contents: DetectedExport;
  /** Endpoints excluded from the import; undefined if there is no choice. */
  excluded: ReadonlySet<string> | undefined;
  change: (endpoint: string, isIncluded: boolean) => void;
}

export function KindCounts({ contents, excluded, change }: KindCountsProps) {
  const countText = (endpoint: string, n: number): string => {
    const text = kindCountText(endpoint, n);
    return contents.complete ? text : texts.more(text);
  };
  const allCounts = contents.kinds.map(({ endpoint, count }) => countText(endpoint, count)).join(', ');
  return (
    <section>
      <Title order={2}>{texts.summary(texts.sources[contents.source], allCounts)}</Title>
      {!contents.complete && <Text c="dimmed">{texts.incomplete}</Text>}
      <ul className={classes.kinds}>
        {contents.kinds.map(({ endpoint, count, first, last, samples }) => (
          <li key={endpoint} className={classes.kind}>
            <div className={classes.kindHeader}>
              {excluded === undefined ? (
                <Text size="md" fw={500}>
                  {countText(endpoint, count)}
                </Text>
              ) : (
                <Switch
                  label={countText(endpoint, count)}
                  checked={!excluded.has(endpoint)}
                  onChange={(event) => change(endpoint, event.currentTarget.checked)}
                />
              )}
              <span className={classes.secondaryText}>
                {first !== null && last !== null && texts.between(formatDay(first), formatDay(last))}
              </span>
            </div>
            <span className={classes.secondaryText}>{texts.target(endpoint)}</span>
            <details className={classes.details}>
              <summary>{texts.samples}</summary>
              {samples.map((sample, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- the samples never change their order
                <div key={index} className={classes.sample}>
                  <JsonText value={sample} />
                </div>
              ))}
            </details>
          </li>
        ))}
      </ul>
      <Text c="dimmed" my="sm">
        {contents.leftOut > 0 && `${texts.leftOut(contents.leftOut)} `}
        {texts.existingHint}
      </Text>
      <ImportErrors errors={contents.problems} />
    </section>
  );
}
