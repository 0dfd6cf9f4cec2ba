import { Button, Text, UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { TableFilter } from '../../../../../server/wire/table.ts';
import type { Field } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { FilterForm } from './filter-form.tsx';
import { filterText } from './filter-text.ts';
import { replaceFilter } from './view-parameters.ts';
import classes from './record-filters.module.css';

const texts = m.recordTable.filters;

interface RecordFiltersProps {
  fields: readonly Field[];
  filters: readonly TableFilter[];
  nameOf: (path: string | undefined) => string;
  /** Number of records that the filters leave out because their values cannot be compared. */
  leftOutCount: number;
  change: (filters: readonly TableFilter[]) => void;
}

export function RecordFilters({ fields, filters, nameOf, leftOutCount, change }: RecordFiltersProps) {
  const [editedFilter, setEditedFilter] = useState<TableFilter>();
  const close = () => setEditedFilter(undefined);
  return (
    <>
      {filters.length > 0 && (
        <ul className={classes.filterList} aria-label={texts.label}>
          {filters.map((filter) => {
            const text = filterText(filter, nameOf);
            return (
              <li key={JSON.stringify(filter)} className={classes.filter}>
                <UnstyledButton
                  className={classes.text ?? ''}
                  aria-label={texts.edit(text)}
                  title={text}
                  onClick={() => setEditedFilter(filter)}
                >
                  {text}
                </UnstyledButton>
                <UnstyledButton
                  className={classes.removeButton ?? ''}
                  aria-label={texts.remove(text)}
                  onClick={() => change(filters.filter((other) => other !== filter))}
                >
                  <IconX size={14} stroke={1.8} aria-hidden="true" />
                </UnstyledButton>
              </li>
            );
          })}
          {filters.length > 1 && (
            <li>
              <Button size="compact-sm" variant="subtle" onClick={() => change([])}>
                {texts.clear}
              </Button>
            </li>
          )}
        </ul>
      )}
      {leftOutCount > 0 && (
        <Text c="dimmed" role="status" className={classes.note ?? ''} title={texts.leftOutHint}>
          {texts.leftOut(leftOutCount)}
        </Text>
      )}
      <Dialog opened={editedFilter !== undefined} onClose={close} title={texts.editTitle}>
        <FilterForm
          fields={fields}
          filter={editedFilter}
          close={close}
          onSubmit={(next) => {
            if (editedFilter !== undefined) change(replaceFilter(filters, editedFilter, next));
            close();
          }}
        />
      </Dialog>
    </>
  );
}
