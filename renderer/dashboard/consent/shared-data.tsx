import { Box, Group, Text, Title } from '@mantine/core';
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

const SAMPLE_RECORDS = 3;

interface SharedDataProps {
  properties: readonly PlainProperty[];
  source: PreviewSource;
  choices: Choices;
  /** Without this callback, the choices are shown as text, without switches. */
  change?: (choices: Choices) => void;
  /** True if the data is already shared; false for a request. */
  isShared?: boolean;
}

export function SharedData({ properties, source, choices, change, isShared = false }: SharedDataProps) {
  const narrowing = useMemo(() => narrowingOf(properties, choices), [properties, choices]);
  const requestedPreview = useQuery(sharingPreview(source, undefined, 0, SAMPLE_RECORDS)).data;
  const sharesNothing = properties.every(({ entries }) => entries.every(({ key }) => choices.droppedEntries.has(key)));
  // The PDA cannot preview choices that exclude everything.
  const selectedPreview = useQuery({
    ...sharingPreview(source, narrowing, 0, SAMPLE_RECORDS),
    enabled: !sharesNothing,
  }).data;
  const entries = properties.flatMap((property) => property.entries);
  const fieldStates = entries.flatMap((entry) =>
    (entry.fields?.map(({ name }) => name) ?? previewFields(requestedPreview, entry)).map((name) =>
      isFieldShared(choices, entry, name),
    ),
  );
  return (
    <>
      <div className={classes.columns}>
        <Box component="section" miw={0} aria-labelledby="requested-data">
          <Group justify="space-between" gap="0.25rem 1rem" mih="2rem" mb="0.75rem">
            <Title order={2} id="requested-data">
              {isShared ? m.requests.scope.titleRunning : m.requests.scope.title}
            </Title>
            {change !== undefined && fieldStates.length > 0 && (
              <Text c="dimmed" role="status">
                {m.requests.scope.selectedCount(fieldStates.filter(Boolean).length, fieldStates.length)}
              </Text>
            )}
          </Group>
          <ScopeChoice properties={properties} preview={requestedPreview} choices={choices} onChange={change} />
        </Box>
        <div className={classes.preview}>
          <DataPreview
            source={source}
            properties={properties}
            narrowing={narrowing}
            sharesNothing={sharesNothing}
            isShared={isShared}
          />
        </div>
      </div>
      <WithheldData
        properties={properties}
        requestedPreview={requestedPreview}
        selectedPreview={sharesNothing ? undefined : selectedPreview}
        choices={choices}
      />
    </>
  );
}
