import { Button, Text } from '@mantine/core';
import { IconCalendar, IconChartBar, IconMap, IconTable } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { TextLink } from '../../../../shared/components/text-link.tsx';
import { EmptyState } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import type { ChartSettings } from '../../../api/pinned-charts.ts';
import classes from './charts.module.css';

const texts = m.charts;
const ICON_PROPS = { size: 15, stroke: 1.6 };

interface ChartTable {
  columns: readonly string[];
  /** The first cell of each row is its name. */
  rows: readonly (readonly string[])[];
}

const DRAWING_ICONS = { map: IconMap, calendar: IconCalendar };

/** List that the owner can show instead of an interactive drawing. */
interface DrawingList {
  drawing: keyof typeof DRAWING_ICONS;
  isEmpty: boolean;
  emptyText: string;
  list: ReactNode;
}

export type ChartFrame =
  | {
      location: 'page';
      isTableShown: boolean;
      setIsTableShown: (isTableShown: boolean) => void;
      onOpen: (recordId: string) => void;
      renderActions: (settings: ChartSettings, title: string) => ReactNode;
    }
  | {
      location: 'home';
      to: string;
    };

interface ChartFigureProps {
  frame: ChartFrame;
  settings: ChartSettings;
  title: string;
  summary: string;
  notes: readonly string[];
  table: ChartTable | DrawingList;
  /** True if the chart has a minimum width and scrolls in a narrow window. */
  hasMinWidth?: boolean;
  /** True while not all values are loaded. A chart that has no values yet then shows no empty state. */
  isPartial?: boolean;
  children: ReactNode;
}

export function ChartFigure(props: ChartFigureProps) {
  const { frame, settings, title, summary, notes, table, hasMinWidth = false, isPartial = false, children } = props;
  const hasList = 'list' in table;
  const isEmpty = hasList ? table.isEmpty : table.rows.length === 0;
  const isTableShown = frame.location === 'page' && frame.isTableShown;
  const ChartIcon = hasList ? DRAWING_ICONS[table.drawing] : IconChartBar;
  const [showTableLabel, showChartLabel] = hasList
    ? [texts.showList, texts.showDrawing[table.drawing]]
    : [texts.showTable, texts.showChart];
  return (
    <FigureSection
      frame={frame}
      title={title}
      actions={
        frame.location === 'page' && (
          <div className={classes.actions}>
            {!isEmpty && (
              <Button
                variant="default"
                size="xs"
                leftSection={isTableShown ? <ChartIcon {...ICON_PROPS} /> : <IconTable {...ICON_PROPS} />}
                onClick={() => frame.setIsTableShown(!isTableShown)}
              >
                {isTableShown ? showChartLabel : showTableLabel}
              </Button>
            )}
            {frame.renderActions(settings, title)}
          </div>
        )
      }
      notes={notes}
    >
      {isEmpty && !isPartial && (
        <EmptyChart location={frame.location} text={hasList ? table.emptyText : texts.emptyText} />
      )}
      {!isEmpty && isTableShown && (hasList ? table.list : <NumbersTable table={table} title={title} />)}
      {/* Screen readers hide the content of an image, so an interactive drawing does not have the role `img`. */}
      {!isEmpty && !isTableShown && hasList && frame.location === 'page' && children}
      {!isEmpty && !isTableShown && !(hasList && frame.location === 'page') && (
        <div {...(hasMinWidth ? { className: classes.scroll, tabIndex: 0, role: 'region', 'aria-label': title } : {})}>
          <div role="img" aria-label={frame.location === 'page' ? texts.withTable(summary) : summary}>
            {children}
          </div>
        </div>
      )}
    </FigureSection>
  );
}

interface FigureSectionProps extends Pick<ChartFigureProps, 'frame' | 'title' | 'notes' | 'children'> {
  actions: ReactNode;
}

export function FigureSection({ frame, title, actions, notes, children }: FigureSectionProps) {
  return (
    <section className={classes.figure} data-location={frame.location}>
      <header className={classes.header}>
        <FigureTitle frame={frame} title={title} />
        {actions}
      </header>
      {children}
      {notes.map((note) => (
        <Text key={note} c="dimmed">
          {note}
        </Text>
      ))}
    </section>
  );
}

/** On Home, the heading links to the chart on its endpoint's page. */
function FigureTitle({ frame, title }: Pick<ChartFigureProps, 'frame' | 'title'>) {
  return frame.location === 'page' ? (
    <Text size="md" component="h2" fw={500}>
      <UntrustedText>{title}</UntrustedText>
    </Text>
  ) : (
    <Text size="md" component="h3" fw={500}>
      <TextLink to={frame.to} inherit c="inherit">
        <UntrustedText>{title}</UntrustedText>
      </TextLink>
    </Text>
  );
}

function EmptyChart({ location, text }: { location: ChartFrame['location']; text: string }) {
  if (location === 'home') {
    return <Text c="dimmed">{texts.pins.empty}</Text>;
  }
  return (
    <EmptyState icon={IconChartBar} title={texts.emptyTitle}>
      {text}
    </EmptyState>
  );
}

function NumbersTable({ table, title }: { table: ChartTable; title: string }) {
  const [, ...numberColumns] = table.columns;
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={title}>
      <table className={classes.table}>
        <thead>
          <tr>
            {table.columns.map((column, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- rows and columns have no other identity
              <th key={index} scope="col">
                <UntrustedText>{column}</UntrustedText>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(([name = '', ...cells], row) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows and columns have no other identity
            <tr key={row}>
              <th scope="row">
                <UntrustedText>{name}</UntrustedText>
              </th>
              {numberColumns.map((_, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- rows and columns have no other identity
                <td key={index}>{cells[index] ?? ''}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
