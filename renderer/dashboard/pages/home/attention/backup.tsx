import { useQuery } from '@tanstack/react-query';
import { type Backup, backup } from '../../../api/account/backup.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { BACKUP_PATH } from '../../../navigation.ts';
import { LeadLink } from '../lead-link.tsx';
import type { Need } from './items.ts';

const words = m.backup.home;

/** Backups that were wanted and are not made, or do not come back. That none were ever wanted stands in the line only. */
export function useBackupNeeds(): Need[] {
  const now = useQuery(backup).data;
  if (now === undefined || now.folder === null) return [];
  const place = { id: 'backup', to: BACKUP_PATH, fault: true };
  if (now.problem?.what === 'drill') return [{ ...place, title: words.problem, text: now.problem.problem }];
  if (now.problem?.what === 'records') return [{ ...place, title: words.damaged, text: now.problem.problem }];
  if (now.last !== null && now.stale)
    return [{ ...place, title: words.old, text: now.problem?.problem ?? words.oldText }];
  if (now.problem !== null && now.last === null) return [{ ...place, title: words.never, text: now.problem.problem }];
  return [];
}

/** When it was last proven that everything would come back. */
export function BackupLine() {
  const now = useQuery(backup).data;
  if (now === undefined) return null;
  return <LeadLink to={BACKUP_PATH}>{lineOf(now)}</LeadLink>;
}

function lineOf({ folder, last, proven }: Backup) {
  if (folder === null) return words.none;
  if (last === null) return words.never;
  return (
    <>
      {proven === null ? words.unproven : words.proven} <RelativeTime at={proven?.at ?? last.created} />
    </>
  );
}
