import { Anchor, Box, Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Narrowing, SharingPreview } from '../../shared/api/contract.ts';
import { type PreviewSource, sharingPreview } from '../api/sharing/debits.ts';
import { m } from '../../shared/messages/texts.ts';
import { LoadError, LoadingSkeleton } from '../../shared/feedback/states.tsx';
import { withParameters, useUrlQuery } from '../../shared/form/use-url-query.ts';
import { AllRecordsDrawer } from './all-records.tsx';
import { RecordPreviewList } from './record-preview.tsx';
import classes from './data-preview.module.css';
import { fieldName } from '../../shared/components/display-names.ts';
import type { PlainProperty } from '../../shared/consent/bundle-text.ts';
import { type PreviewFieldOf, usePreviewFields } from './preview-fields.ts';

const texts = m.requests.sharedNow;
const SAMPLE_RECORDS = 3;
/** Delay before a request, so that several switches toggled in a row cause one request. */
const DEBOUNCE_MS = 120;

interface DataPreviewProps {
  source: PreviewSource;
  properties: readonly PlainProperty[];
  narrowing: Narrowing | undefined;
  /** True if everything is excluded; no preview is requested in this case. */
  sharesNothing?: boolean;
  /** True if the data is already shared; false for a request. */
  isShared?: boolean;
}

type Property = SharingPreview['properties'][number];

function countText({ leaving: sharedCount, matching }: Property, isShared: boolean): string {
  if (sharedCount === matching) return (isShared ? texts.countRunning : texts.count)(sharedCount);
  return (isShared ? texts.countOfRunning : texts.countOf)(sharedCount, matching);
}

export function DataPreview({
  source,
  properties,
  narrowing,
  sharesNothing = false,
  isShared = false,
}: DataPreviewProps) {
  const [query, setQuery] = useUrlQuery();
  const fieldOf = usePreviewFields(properties);
  const [debouncedNarrowing] = useDebouncedValue(narrowing, DEBOUNCE_MS);
  const result = useQuery({
    ...sharingPreview(source, debouncedNarrowing, 0, SAMPLE_RECORDS),
    enabled: !sharesNothing,
  });
  const isJsonShown = query.get('as') === 'json';
  const isUpdating = !sharesNothing && (result.isPlaceholderData || debouncedNarrowing !== narrowing);
  return (
    <Box component="section" miw={0} aria-labelledby="shared-now" aria-busy={isUpdating || undefined}>
      <Group justify="space-between" gap="0.5rem 1rem" mih="2rem" mb="0.75rem">
        <Title order={2} id="shared-now">
          {isShared ? texts.titleRunning : texts.title}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={texts.view}
          value={isJsonShown ? 'json' : 'read'}
          data={[
            { value: 'read', label: texts.read },
            { value: 'json', label: texts.json },
          ]}
          onChange={(value) => setQuery(withParameters({ as: value === 'json' ? 'json' : '' }), { replace: true })}
        />
      </Group>
      {sharesNothing && <Text c="dimmed">{m.requests.page.atMostNothing}</Text>}
      {!sharesNothing && result.isPending && <LoadingSkeleton rows={6} />}
      {!sharesNothing && result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {!sharesNothing && result.data !== undefined && (
        <div data-updating={isUpdating || undefined} className={classes.properties}>
          {Object.values(result.data.conditions ?? {}).includes(false) && (
            <p className={classes.unmetNotice}>{texts.unmet}</p>
          )}
          {result.data.properties.map((property) => (
            <PropertyPreview
              key={property.property}
              property={property}
              isOnly={result.data.properties.length === 1}
              isShared={isShared}
              isJsonShown={isJsonShown}
              fieldOf={fieldOf}
              openAll={() => setQuery(withParameters({ all: property.property }))}
            />
          ))}
        </div>
      )}
      <AllRecordsDrawer source={source} narrowing={narrowing} isJsonShown={isJsonShown} fieldOf={fieldOf} />
    </Box>
  );
}

interface PropertyPreviewProps {
  property: Property;
  isOnly: boolean;
  isShared: boolean;
  isJsonShown: boolean;
  fieldOf: PreviewFieldOf;
  openAll: () => void;
}

function PropertyPreview({ property, isOnly, isShared, isJsonShown, fieldOf, openAll }: PropertyPreviewProps) {
  const { entries, leaving: sharedCount, records } = property;
  const isExcluded = entries.length > 0 && entries.every(({ excluded }) => excluded);
  const recordCount = entries.reduce((sum, entry) => sum + entry.endpointRecords, 0);
  return (
    <div>
      <Group align="baseline" gap="0 0.75rem" mb="sm">
        {!isOnly && <Title order={3}>{fieldName(property.property)}</Title>}
        <span role="status">
          {isExcluded ? texts.off : sharedCount === 0 ? texts.none : countText(property, isShared)}
        </span>
        {sharedCount > records.length && !isExcluded && (
          <Anchor component="button" type="button" ml="auto" onClick={openAll}>
            {texts.all(sharedCount)}
          </Anchor>
        )}
      </Group>
      {sharedCount === 0 && !isExcluded && (
        <Text c="dimmed">{recordCount === 0 ? texts.noneHeld : texts.noneText}</Text>
      )}
      <RecordPreviewList
        records={records}
        isJsonShown={isJsonShown}
        fieldOf={(endpoint, path) => fieldOf(property.property, endpoint, path)}
      />
    </div>
  );
}
