import { Button, Menu } from '@mantine/core';
import { IconDatabase, IconTable } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../../shared/api/client.ts';
import type { DeletionEntry } from '../../../../shared/api/contract.ts';
import { deletions, refreshData } from '../../../api/queries.ts';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { DeletedList } from '../../../components/deleted-list.tsx';
import { undoDeletion } from '../../../components/deletion.tsx';
import { OverflowMenu } from '../../../../shared/components/overflow-menu.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { ActionButton } from '../../../../shared/feedback/action-button.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { DeletedExcerpt } from './excerpt.tsx';
import classes from './deletions-page.module.css';
import { RestoreRecords } from './restore-records.tsx';

const texts = m.data.deletion.list;

export function DeletionsPage() {
  const query = useInfiniteQuery(deletions);
  const [selectedEntry, setSelectedEntry] = useState<DeletionEntry>();
  const entries = query.data?.pages.flat() ?? [];
  return (
    <>
      <DeletedList
        texts={texts}
        parent={{ label: m.data.pageTitle, to: '/data' }}
        query={query}
        hasItems={entries.length > 0}
      >
        <ul className={classes.list}>
          {entries.map((entry) => (
            <Entry key={entry.deletionId} entry={entry} choose={() => setSelectedEntry(entry)} />
          ))}
        </ul>
      </DeletedList>
      <RestoreRecords entry={selectedEntry} close={() => setSelectedEntry(undefined)} />
    </>
  );
}

function deletionTitle({ endpoint, records, sample }: DeletionEntry): string {
  return endpoint === null ? texts.some(sample[0]?.endpoint ?? '', records) : texts.wholeEndpoint(endpoint, records);
}

function Entry({ entry, choose }: { entry: DeletionEntry; choose: () => void }) {
  const [isConfirming, setIsConfirming] = useState(false);
  const title = deletionTitle(entry);
  const hiddenCount = entry.records - entry.sample.length;
  const KindIcon = entry.endpoint === null ? IconTable : IconDatabase;
  const restoreText = entry.records === 1 ? texts.restore : texts.restoreAll;
  const deletePermanently = async () => {
    await call('DELETE /api/v2.6/owner/deletions/:deletionId', { params: { deletionId: entry.deletionId } });
    await refreshData();
    showToast(texts.deletePermanentlyDone(entry.records));
  };
  return (
    <li>
      <KindIcon size={20} stroke={1.5} aria-hidden="true" />
      <div className={classes.content}>
        <h2>
          <bdi>{title}</bdi>
        </h2>
        <ul className={classes.excerpts}>
          {entry.sample.map((record) => (
            <li key={record.seq}>
              <DeletedExcerpt record={record} />
            </li>
          ))}
          {hiddenCount > 0 && <li className={classes.hiddenCount}>{texts.andMore(hiddenCount)}</li>}
        </ul>
        <p className={classes.times}>
          {texts.deleted} <RelativeTime at={entry.deleted} /> · {texts.until} <RelativeTime at={entry.until} />
        </p>
      </div>
      <div className={classes.actions}>
        <ActionButton action={() => undoDeletion(entry)} label={texts.label(restoreText, title)} isListItem>
          {restoreText}
        </ActionButton>
        {entry.records > 1 && (
          <Button variant="default" size="xs" onClick={choose} aria-label={texts.label(texts.choose, title)}>
            {texts.choose}
          </Button>
        )}
        <OverflowMenu label={texts.actions(title)}>
          <Menu.Item c="var(--stop)" onClick={() => setIsConfirming(true)}>
            {texts.deletePermanently}
          </Menu.Item>
        </OverflowMenu>
      </div>
      <ConfirmDialog
        opened={isConfirming}
        close={() => setIsConfirming(false)}
        title={texts.deletePermanentlyTitle(entry.records)}
        cancelLabel={texts.keep}
        confirmLabel={texts.deletePermanently}
        onConfirm={deletePermanently}
      >
        {texts.deletePermanentlyText}
      </ConfirmDialog>
    </li>
  );
}
