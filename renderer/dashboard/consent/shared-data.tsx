import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type PreviewSource, sharingPreview } from '../api/sharing/debits.ts';
import { m } from '../../shared/messages/texts.ts';
import { type Choices, isFieldShared, narrowingOf } from './choices.ts';
import { DataPreview } from './data-preview.tsx';
import type { PlainProperty } from '../../shared/consent/bundle-text.ts';
import { ScopeChoice, previewFields } from './scope-choice.tsx';
import { WithheldData } from './withheld-data.tsx';
import classes from './shared-data.module.css';

interface SharedDataProps {
  properties: readonly PlainProperty[];
  source: PreviewSource;
  choices: Choices;
  /** Without it nothing can be switched. */
  change?: (choices: Choices) => void;
  /** It is shared already. */
  running?: boolean;
}

/** The heart of every consent: what would leave in words, the real records beside it, and what stays home below. */
export function SharedData({ properties, source, choices, change, running = false }: SharedDataProps) {
  const narrowing = useMemo(() => narrowingOf(properties, choices), [properties, choices]);
  const asked = useQuery(sharingPreview(source, undefined, 0, 3)).data;
  const nothing = properties.every(({ entries }) => entries.every(({ key }) => choices.droppedEntries.has(key)));
  // Nothing is no question to the PDA; what is shown then is what was asked, all of it struck out.
  const now = useQuery({ ...sharingPreview(source, narrowing, 0, 3), enabled: !nothing }).data;
  const entries = properties.flatMap((property) => property.entries);
  const fields = entries.flatMap((entry) =>
    (entry.fields?.map(({ name }) => name) ?? previewFields(asked, entry)).map((name) =>
      isFieldShared(choices, entry, name),
    ),
  );
  return (
    <>
      <div className={classes.columns}>
        <section aria-labelledby="would-leave" className={classes.left}>
          <div className={classes.head}>
            <Title order={2} id="would-leave">
              {running ? m.requests.leave.titleRunning : m.requests.leave.title}
            </Title>
            {change !== undefined && fields.length > 0 && (
              <Text size="sm" c="dimmed" role="status">
                {m.requests.leave.chosen(fields.filter(Boolean).length, fields.length)}
              </Text>
            )}
          </div>
          <ScopeChoice properties={properties} seen={asked} choices={choices} change={change} />
        </section>
        <div className={classes.right}>
          <DataPreview source={source} narrowing={narrowing} nothing={nothing} running={running} />
        </div>
      </div>
      <WithheldData properties={properties} asked={asked} now={nothing ? undefined : now} choices={choices} />
    </>
  );
}
