import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isolateText } from '../../../server/wire/isolation.ts';
import { m } from '../../shared/messages/texts.ts';
import type { RecordSelection } from '../api/queries.ts';
import { recordViews } from '../api/record-views.ts';
import { filterText } from '../pages/data/record-table/filter-text.ts';
import type { Column } from '../pages/data/records/columns.ts';
import { ShareViewDialog } from './share-view-dialog.tsx';
import { shareableName, tableDefinition } from './shared-view.ts';

const texts = m.sharedViews;

interface ShareTableProps {
  selection: RecordSelection;
  columns: readonly Column[];
  matchCount: number;
  /** Default name if the view is not saved. */
  endpointName: string;
  /** Parameters of the current view, as in a saved view. */
  viewParameters: string;
  nameOf: (path: string | undefined) => string;
  opened: boolean;
  close: () => void;
}

export function ShareTable(props: ShareTableProps) {
  const { selection, columns, matchCount, endpointName, viewParameters, nameOf, opened, close } = props;
  const { data: savedViews = [] } = useQuery(recordViews(selection.endpoint));
  const name = shareableName(
    savedViews.find(({ view }) => view === viewParameters)?.name ?? endpointName,
    selection.endpoint,
  );
  const definition = tableDefinition(selection, columns);
  const names = definition.columns.map((column) => isolateText(column.name));
  const filters = [
    ...selection.filters.map((filter) => filterText(filter, nameOf)),
    ...(selection.search === '' ? [] : [texts.search(isolateText(selection.search))]),
  ];
  return (
    // The key resets the form when the view changes.
    <ShareViewDialog
      key={`${name} ${viewParameters}`}
      view={{ endpoint: selection.endpoint, name, definition }}
      opened={opened}
      close={close}
    >
      <Text>{texts.columns(names)}</Text>
      <Text>{filters.length === 0 ? texts.allRecords : texts.filtered(filters)}</Text>
      <Text c="dimmed" mt="xs">
        {texts.matches(matchCount)}
      </Text>
    </ShareViewDialog>
  );
}
