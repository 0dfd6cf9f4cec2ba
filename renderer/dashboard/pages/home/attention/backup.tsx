import { useQuery } from '@tanstack/react-query';
import { type Backup, backup } from '../../../api/account/backup.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { BACKUP_PATH } from '../../../navigation.ts';
import { LeadLink } from '../lead-link.tsx';
import type { AttentionItem } from './attention-item.ts';

const texts = m.backup.home;

export function useBackupItems(): AttentionItem[] | undefined {
  const status = useQuery(backup).data;
  if (status === undefined) return undefined;
  if (status.folder === null) return [];
  const base = { id: 'backup', to: BACKUP_PATH, isError: true };
  if (status.problem?.what === 'drill') return [{ ...base, title: texts.problem, text: status.problem.problem }];
  if (status.problem?.what === 'records')
    return [{ ...base, title: m.backup.problem.records, text: status.problem.problem }];
  if (status.last !== null && status.stale)
    return [{ ...base, title: m.backup.state.old, text: status.problem?.problem ?? texts.oldText }];
  if (status.problem !== null && status.last === null)
    return [{ ...base, title: texts.never, text: status.problem.problem }];
  return [];
}

export function BackupLine() {
  const status = useQuery(backup).data;
  if (status === undefined) return null;
  return <LeadLink to={BACKUP_PATH}>{statusLineOf(status)}</LeadLink>;
}

function statusLineOf({ folder, last, proven }: Backup) {
  if (folder === null) return m.backup.state.none;
  if (last === null) return texts.never;
  return (
    <>
      {proven === null ? texts.last : texts.lastTested} <RelativeTime at={proven?.at ?? last.created} />
    </>
  );
}
