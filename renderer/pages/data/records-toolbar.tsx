import { Button, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { IconBraces, IconTable, IconTrash } from '@tabler/icons-react';
import { SearchField } from '../../components/search-field.tsx';
import { m } from '../../messages/en.ts';
import type { Column } from './columns.ts';
import classes from './records-toolbar.module.css';
import type { View } from './use-view.ts';

const words = m.data.endpoint;

interface RecordsToolbarProps {
  view: View;
  columns: readonly Column[];
  found: number | undefined;
  busy: boolean;
  chosen: number;
  onSearch: (search: string) => void;
  onOrder: (orderBy: string, descending: boolean) => void;
  onJson: (json: boolean) => void;
  onDelete: () => void;
  onClear: () => void;
}

export function RecordsToolbar(props: RecordsToolbarProps) {
  const { view, columns, found, busy, chosen, onSearch, onOrder, onJson, onDelete, onClear } = props;
  const orders = [
    { value: 'down ', label: words.newest },
    { value: 'up ', label: words.oldest },
    ...columns
      .filter(({ path }) => path !== '')
      .flatMap(({ path, label }) => [
        { value: `up ${path}`, label: words.by(label) },
        { value: `down ${path}`, label: words.byDescending(label) },
      ]),
  ];
  const order = `${view.descending ? 'down' : 'up'} ${view.orderBy}`;
  if (!orders.some(({ value }) => value === order)) {
    orders.push({ value: order, label: view.descending ? words.byDescending(view.orderBy) : words.by(view.orderBy) });
  }

  return (
    <div className={classes.toolbar}>
      <SearchField
        className={classes.search}
        label={words.search}
        clearLabel={words.clearSearch}
        value={view.search}
        onSearch={onSearch}
        busy={busy}
      />
      <NativeSelect
        className={classes.order ?? ''}
        aria-label={words.order}
        value={order}
        data={orders}
        onChange={(event) => {
          const [direction, ...path] = event.currentTarget.value.split(' ');
          onOrder(path.join(' '), direction === 'down');
        }}
      />
      <SegmentedControl
        aria-label={words.view}
        value={view.json ? 'json' : 'table'}
        onChange={(value) => onJson(value === 'json')}
        data={[
          { value: 'table', label: <Choice icon={<IconTable size={15} stroke={1.6} />} text={words.table} /> },
          { value: 'json', label: <Choice icon={<IconBraces size={15} stroke={1.6} />} text={words.json} /> },
        ]}
      />
      <Text size="sm" c="dimmed" role="status" className={classes.found ?? ''}>
        {found !== undefined && words.found(found)}
      </Text>
      {chosen > 0 && (
        <div className={classes.chosen}>
          <Text size="sm" fw={500} role="status">
            {words.selected(chosen)}
          </Text>
          <Button
            size="xs"
            variant="default"
            c="var(--stop)"
            leftSection={<IconTrash size={16} stroke={1.6} />}
            onClick={onDelete}
          >
            {words.deleteSelected(chosen)}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            c="var(--ink-soft)"
            aria-label={words.clearSelection}
            onClick={onClear}
          >
            {words.clear}
          </Button>
        </div>
      )}
    </div>
  );
}

function Choice({ icon, text }: { icon: React.ReactNode; text: string }) {
  return (
    <span className={classes.choice}>
      {icon}
      {text}
    </span>
  );
}
