import { Button, Checkbox, Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../../shared/api/client.ts';
import type { DeletionEntry } from '../../../../shared/api/contract.ts';
import { deletedRecords, refreshData } from '../../../api/queries.ts';
import { LoadMoreButton } from '../../../components/deleted-list.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { SideDrawer } from '../../../../shared/overlay/side-drawer.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { DeletedExcerpt } from './excerpt.tsx';
import classes from './deletions-page.module.css';

const texts = m.data.deletion.list;

interface RestoreRecordsProps {
  entry: DeletionEntry | undefined;
  close: () => void;
}

export function RestoreRecords({ entry, close }: RestoreRecordsProps) {
  return (
    <SideDrawer opened={entry !== undefined} close={close} title={texts.chooseTitle}>
      {entry !== undefined && <RecordSelection key={entry.deletionId} entry={entry} close={close} />}
    </SideDrawer>
  );
}

function RecordSelection({ entry: { deletionId }, close }: { entry: DeletionEntry; close: () => void }) {
  const query = useInfiniteQuery(deletedRecords(deletionId));
  const [selectedSeqs, setSelectedSeqs] = useState<ReadonlySet<number>>(new Set());
  const { busy, problem, run } = useSubmit();
  const records = query.data?.pages.flatMap((page) => page.records) ?? [];
  const toggle = (seq: number) => {
    const nextSeqs = new Set(selectedSeqs);
    if (!nextSeqs.delete(seq)) nextSeqs.add(seq);
    setSelectedSeqs(nextSeqs);
  };
  const restore = async () => {
    try {
      const { restored } = await call('POST /api/v2.6/owner/deletions/:deletionId/restore', {
        params: { deletionId },
        body: { seqs: [...selectedSeqs] },
      });
      close();
      showToast(m.data.deletion.undone(restored));
    } finally {
      // After an error, some of the records may have been restored.
      await refreshData();
    }
  };
  const areAllSelected = records.length > 0 && selectedSeqs.size === records.length;
  return (
    <>
      <QueryBoundary query={query} />
      {records.length > 0 && (
        <>
          <Checkbox
            label={texts.selectAll}
            checked={areAllSelected}
            indeterminate={selectedSeqs.size > 0 && !areAllSelected}
            onChange={() => setSelectedSeqs(new Set(areAllSelected ? [] : records.map(({ seq }) => seq)))}
          />
          <ul className={classes.records}>
            {records.map((record) => (
              <li key={record.seq}>
                <Checkbox
                  label={<DeletedExcerpt record={record} />}
                  description={<RelativeTime at={record.dateCreated} />}
                  checked={selectedSeqs.has(record.seq)}
                  onChange={() => toggle(record.seq)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      <LoadMoreButton query={query}>{texts.more}</LoadMoreButton>
      <SubmitError problem={problem} />
      <Group justify="flex-end" gap="sm" mt="md">
        <Button disabled={selectedSeqs.size === 0} loading={busy} onClick={() => void run(restore)}>
          {texts.restoreSome(selectedSeqs.size)}
        </Button>
      </Group>
    </>
  );
}
