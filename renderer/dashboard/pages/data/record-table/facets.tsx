import { Skeleton, Text, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { TableFilter, TableValue } from '../../../../../server/wire/table.ts';
import type { Field } from '../../../../shared/api/contract.ts';
import { LoadError } from '../../../../shared/feedback/states.tsx';
import { number } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { SideDrawer } from '../../../../shared/overlay/side-drawer.tsx';
import { type RecordSelection, recordFacet } from '../../../api/queries.ts';
import { nameWithoutUnit } from '../records/field-name.ts';
import { tableValueText } from './filter-text.ts';
import { toggleValue } from './view-parameters.ts';
import classes from './facets.module.css';

const texts = m.recordTable.facets;

interface FacetsProps {
  /** Undefined until they are known. */
  fields: readonly Field[] | undefined;
  selection: RecordSelection;
  change: (filters: readonly TableFilter[]) => void;
  close: () => void;
}

export function Facets({ close, ...props }: FacetsProps) {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  if (isPhone)
    return (
      <SideDrawer opened close={close} title={texts.title}>
        <FacetList {...props} />
      </SideDrawer>
    );
  return (
    <aside className={classes.facets} aria-label={texts.title}>
      <FacetList {...props} />
    </aside>
  );
}

function FacetList({ fields, selection, change }: Omit<FacetsProps, 'close'>) {
  if (fields?.length === 0)
    return (
      <Text c="dimmed" p="sm">
        {texts.none}
      </Text>
    );
  return fields?.map((field) => <FieldFacet key={field.path} field={field} selection={selection} change={change} />);
}

interface FieldFacetProps extends Omit<FacetsProps, 'fields' | 'close'> {
  field: Field;
}

function FieldFacet({ field, selection, change }: FieldFacetProps) {
  const headingId = useId();
  const { filters } = selection;
  // A filter by values of the field does not restrict the listed values, so that another value can be added.
  const isValueFilter = (filter: TableFilter): boolean => filter.is === 'oneOf' && filter.field === field.path;
  const query = useQuery(
    recordFacet({ ...selection, filters: filters.filter((filter) => !isValueFilter(filter)) }, field.path),
  );
  const selectedValues = new Set(
    filters.flatMap((filter): readonly TableValue[] =>
      isValueFilter(filter) && filter.is === 'oneOf' ? filter.values : [],
    ),
  );
  const emptyFilter = filters.find((filter) => filter.is === 'empty' && filter.field === field.path);
  const toggleEmpty = () =>
    change(
      emptyFilter === undefined
        ? [...filters.filter((filter) => !isValueFilter(filter)), { is: 'empty', field: field.path }]
        : filters.filter((filter) => filter !== emptyFilter),
    );
  const name = nameWithoutUnit(field);
  return (
    <section className={classes.facet} aria-labelledby={headingId}>
      <h2 id={headingId} className={classes.name}>
        <bdi>{name}</bdi>
      </h2>
      {query.isPending && <Skeleton height={60} />}
      {query.isError && <LoadError error={query.error} retry={() => void query.refetch()} />}
      {query.data?.values.map(({ value, count }) => {
        const text = tableValueText(value);
        return (
          <UnstyledButton
            key={`${typeof value} ${String(value)}`}
            className={classes.value ?? ''}
            aria-pressed={selectedValues.has(value)}
            title={text}
            onClick={() => change(toggleValue(filters, field.path, value))}
          >
            <span className={classes.text}>{text}</span> <span className={classes.count}>{number(count)}</span>
          </UnstyledButton>
        );
      })}
      {query.data !== undefined && query.data.empty > 0 && (
        <UnstyledButton className={classes.value ?? ''} aria-pressed={emptyFilter !== undefined} onClick={toggleEmpty}>
          <span className={classes.emptyLabel}>{texts.empty}</span>{' '}
          <span className={classes.count}>{number(query.data.empty)}</span>
        </UnstyledButton>
      )}
      {query.data !== undefined && query.data.others > 0 && (
        <Text size="xs" c="dimmed" className={classes.otherCount ?? ''}>
          {texts.otherValues(query.data.others)}
        </Text>
      )}
    </section>
  );
}
