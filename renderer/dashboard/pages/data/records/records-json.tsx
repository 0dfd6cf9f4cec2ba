import { ActionIcon, Button, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { BrowsedRecord } from '../../../../shared/api/contract.ts';
import { type RecordSelection, recordPage } from '../../../api/queries.ts';
import { JsonText, formatJson } from '../../../../shared/components/json-text.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { CopyIconButton } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { number } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './records-json.module.css';
import type { RecordsView } from './use-view.ts';

const texts = m.data;
const PAGE_SIZE = 20;

interface RecordsJsonProps {
  selection: RecordSelection;
  at: number;
  change: (change: Partial<RecordsView>) => void;
  onOpen: (record: BrowsedRecord) => void;
}

export function RecordsJson({ selection, at, change, onOpen }: RecordsJsonProps) {
  const skip = Math.floor(at / PAGE_SIZE) * PAGE_SIZE;
  const page = useQuery({ ...recordPage(selection, skip, PAGE_SIZE), placeholderData: keepPreviousData });
  const top = useRef<HTMLDivElement>(null);
  if (page.isPending || page.isError) return <QueryBoundary query={page} rows={8} />;
  const { records, total } = page.data;
  const goTo = (position: number) => {
    change({ at: position });
    top.current?.scrollTo(0, 0);
  };
  return (
    <>
      <div
        ref={top}
        className={classes.list}
        tabIndex={0}
        role="region"
        aria-label={texts.endpoint.gridLabel(selection.endpoint)}
      >
        {records.map((record, index) => (
          <article key={record.recordId} className={classes.record}>
            <header>
              <Text c="dimmed">
                {number(skip + index + 1)} · <RelativeTime at={record.dateCreated} />
              </Text>
              <span>
                <CopyIconButton value={formatJson(record.data)} label={texts.record.copyJson} />
                <Button variant="subtle" size="compact-sm" onClick={() => onOpen(record)}>
                  {texts.addRecord.open}
                </Button>
              </span>
            </header>
            <JsonText value={record.data} />
          </article>
        ))}
      </div>
      <nav className={classes.pager} aria-label={texts.endpoint.range(skip + 1, skip + records.length, total)}>
        <Text c="dimmed" role="status">
          {texts.endpoint.range(skip + 1, skip + records.length, total)}
        </Text>
        <ActionIcon
          variant="default"
          size={30}
          disabled={skip === 0}
          aria-label={texts.endpoint.previous}
          onClick={() => goTo(Math.max(0, skip - PAGE_SIZE))}
        >
          <IconChevronLeft size={16} stroke={1.6} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={30}
          disabled={skip + PAGE_SIZE >= total}
          aria-label={texts.endpoint.next}
          onClick={() => goTo(skip + PAGE_SIZE)}
        >
          <IconChevronRight size={16} stroke={1.6} />
        </ActionIcon>
      </nav>
    </>
  );
}
