import { Button, Text } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ForeignText } from '../../../../shared/components/foreign-text.tsx';
import { EmptyState } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './charts.module.css';

const words = m.charts;

export interface ChartTable {
  columns: readonly string[];
  /** The first cell of a row names it. */
  rows: readonly (readonly string[])[];
}

interface ChartFigureProps {
  title: string;
  /** Description for screen readers. */
  summary: string;
  /** Sentences about records that are not shown. */
  notes: readonly string[];
  table: ChartTable;
  asTable: boolean;
  onAsTable: (asTable: boolean) => void;
  /** The chart is wider than a phone and scrolls. */
  wide?: boolean;
  children: ReactNode;
}

/** Chart with its title, its notes and a table of the same numbers. */
export function ChartFigure(props: ChartFigureProps) {
  const { title, summary, notes, table, asTable, onAsTable, wide = false, children } = props;
  const isEmpty = table.rows.length === 0;
  return (
    <section className={classes.figure}>
      <header className={classes.head}>
        <Text component="h2" fw={500}>
          <ForeignText>{title}</ForeignText>
        </Text>
        {!isEmpty && (
          <Button
            variant="default"
            size="xs"
            leftSection={asTable ? <IconChartBar size={15} stroke={1.6} /> : <IconTable size={15} stroke={1.6} />}
            onClick={() => onAsTable(!asTable)}
          >
            {asTable ? words.showChart : words.showTable}
          </Button>
        )}
      </header>
      {isEmpty && (
        <EmptyState icon={IconChartBar} title={words.emptyTitle}>
          {words.emptyText}
        </EmptyState>
      )}
      {!isEmpty && asTable && <NumbersTable table={table} title={title} />}
      {!isEmpty && !asTable && (
        <div {...(wide ? { className: classes.scroll, tabIndex: 0, role: 'region', 'aria-label': title } : {})}>
          <div role="img" aria-label={summary}>
            {children}
          </div>
        </div>
      )}
      {notes.map((note) => (
        <Text key={note} size="sm" c="dimmed">
          {note}
        </Text>
      ))}
    </section>
  );
}

function NumbersTable({ table, title }: { table: ChartTable; title: string }) {
  const [, ...numbers] = table.columns;
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={title}>
      <table className={classes.table}>
        <thead>
          <tr>
            {table.columns.map((column, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- a row or column of a table of numbers has only a position
              <th key={at} scope="col">
                <ForeignText>{column}</ForeignText>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(([name = '', ...cells], row) => (
            // oxlint-disable-next-line react/no-array-index-key -- a row or column of a table of numbers has only a position
            <tr key={row}>
              <th scope="row">
                <ForeignText>{name}</ForeignText>
              </th>
              {numbers.map((_, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- a row or column of a table of numbers has only a position
                <td key={at}>{cells[at] ?? ''}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
