import { Button, Checkbox } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../../shared/api/client.ts';
import type { DeletionEntry } from '../../../../shared/api/contract.ts';
import { deletedRecords, refreshData } from '../../../api/queries.ts';
import { LoadMoreButton } from '../../../components/deleted-list.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { SideDrawer } from '../../../../shared/overlay/side-drawer.tsx';
import { LoadError, LoadingSkeleton, SubmitError } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { DeletedExcerpt } from './excerpt.tsx';
import classes from './deletions-page.module.css';

const words = m.data.deletion.list;

interface RestoreRecordsProps {
  entry: DeletionEntry | undefined;
  close: () => void;
}

/** The records of one deletion, of which the owner restores some. */
export function RestoreRecords({ entry, close }: RestoreRecordsProps) {
  return (
    <SideDrawer opened={entry !== undefined} close={close} title={words.chooseTitle}>
      {entry !== undefined && <Choice key={entry.deletionId} entry={entry} close={close} />}
    </SideDrawer>
  );
}

function Choice({ entry: { deletionId }, close }: { entry: DeletionEntry; close: () => void }) {
  const found = useInfiniteQuery(deletedRecords(deletionId));
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const { busy, problem, run } = useSubmit();
  const records = found.data?.pages.flatMap((page) => page.records) ?? [];
  const toggle = (seq: number) => {
    const next = new Set(chosen);
    if (!next.delete(seq)) next.add(seq);
    setChosen(next);
  };
  const restore = async () => {
    const { restored } = await call('POST /api/v2.6/owner/deletions/:deletionId/restore', {
      params: { deletionId },
      body: { seqs: [...chosen] },
    });
    close();
    showToast(m.data.deletion.undone(restored));
    await refreshData();
  };
  const areAllChosen = records.length > 0 && chosen.size === records.length;
  return (
    <>
      {found.isPending && <LoadingSkeleton />}
      {found.isError && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {records.length > 0 && (
        <>
          <Checkbox
            label={words.selectAll}
            checked={areAllChosen}
            indeterminate={chosen.size > 0 && !areAllChosen}
            onChange={() => setChosen(new Set(areAllChosen ? [] : records.map(({ seq }) => seq)))}
          />
          <ul className={classes.records}>
            {records.map((record) => (
              <li key={record.seq}>
                <Checkbox
                  label={<DeletedExcerpt record={record} />}
                  description={<RelativeTime at={record.dateCreated} />}
                  checked={chosen.has(record.seq)}
                  onChange={() => toggle(record.seq)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      <LoadMoreButton found={found}>{words.more}</LoadMoreButton>
      <SubmitError problem={problem} />
      <div className={classes.chosen}>
        <Button disabled={chosen.size === 0} loading={busy} onClick={() => void run(restore)}>
          {words.restoreSome(chosen.size)}
        </Button>
      </div>
    </>
  );
}
