import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { MAX_TABLE_FILTERS } from '../../../../../server/wire/limits.ts';
import type { TableFilter } from '../../../../../server/wire/table.ts';
import type { Field } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { FilterForm } from './filter-form.tsx';

const texts = m.recordTable.filters;

interface AddFilterProps {
  fields: readonly Field[];
  filters: readonly TableFilter[];
  change: (filters: readonly TableFilter[]) => void;
}

export function AddFilter({ fields, filters, change }: AddFilterProps) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFilter size={16} stroke={1.6} />}
        disabled={filters.length >= MAX_TABLE_FILTERS}
        onClick={dialog.open}
      >
        {texts.add}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={texts.addTitle}>
        <FilterForm
          fields={fields}
          filter={undefined}
          close={dialog.close}
          onSubmit={(filter) => {
            change([...filters, filter]);
            dialog.close();
          }}
        />
      </Dialog>
    </>
  );
}
