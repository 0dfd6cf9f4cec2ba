import { IconUsers, IconWorld } from '@tabler/icons-react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { targetSharesOf } from '../../../api/files/target-shares.ts';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './sharing-badge.module.css';

const words = m.files.list;

/** Badge of a shared or public file. Renders nothing for a private file. */
export function SharingBadge({ file, short = false }: { file: OwnerFile; short?: boolean }) {
  const isPublic = file.file.contentPublic;
  const people = new Set([...file.shared, ...targetSharesOf(file)].map(({ userId }) => userId)).size;
  if (!isPublic && people === 0) return null;
  const StatusIcon = isPublic ? IconWorld : IconUsers;
  const text = isPublic && people > 0 ? words.publicAndShared(people) : isPublic ? words.public : words.shared(people);
  return (
    <span className={classes.badge} data-public={isPublic || undefined} title={text}>
      <StatusIcon size={16} stroke={1.6} aria-hidden="true" />
      <span className={short ? classes.hidden : classes.text}>{text}</span>
    </span>
  );
}
