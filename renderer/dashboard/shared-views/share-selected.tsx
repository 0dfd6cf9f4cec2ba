import { Text } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { isolateText } from '../../../server/wire/isolation.ts';
import { MAX_SHARED_RECORDS } from '../../../server/wire/limits.ts';
import { m } from '../../shared/messages/texts.ts';
import type { RecordSelection } from '../api/queries.ts';
import { BulkButton } from '../components/bulk-button.tsx';
import type { Column } from '../pages/data/records/columns.ts';
import { ShareViewContent } from './share-view-dialog.tsx';
import { shareableName, tableDefinition } from './shared-view.ts';

const texts = m.sharedViews;

interface ShareSelectedRecordsProps {
  /** Determines the endpoint and the order of the shared records. Its search and filters are ignored. */
  selection: RecordSelection;
  ids: readonly string[];
  columns: readonly Column[];
  endpointName: string;
}

/** Shares the selected records as a table. Disabled if there are too many records for one table. */
export function ShareSelectedRecords({ selection, ids, columns, endpointName }: ShareSelectedRecordsProps) {
  const { endpoint, sorts, oldestFirst } = selection;
  const definition = tableDefinition({ search: '', filters: [], sorts, oldestFirst }, columns, ids);
  return (
    <BulkButton
      icon={IconUserPlus}
      label={texts.selected.button}
      title={texts.selected.title(ids.length)}
      disabledReason={ids.length > MAX_SHARED_RECORDS ? texts.selected.tooMany(MAX_SHARED_RECORDS) : undefined}
    >
      {() => (
        <ShareViewContent
          view={{ endpoint, name: shareableName(texts.selected.name(endpointName), endpoint), definition }}
        >
          <Text>{texts.columns(definition.columns.map(({ name }) => isolateText(name)))}</Text>
          <Text>{texts.selected.records(ids.length, isolateText(endpointName))}</Text>
          <Text c="dimmed" mt="xs">
            {texts.selected.text}
          </Text>
        </ShareViewContent>
      )}
    </BulkButton>
  );
}
