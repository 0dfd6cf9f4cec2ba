import { IconLink, IconUsers, IconWorld } from '@tabler/icons-react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { targetSharesOf } from '../../../api/files/target-shares.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { useActiveLinks } from '../sharing/use-active-links.ts';
import classes from './sharing-badge.module.css';

const texts = m.files.list;

/** Shows how a file is shared. With `short`, shows only an icon, and nothing for a private file. */
export function SharingBadge({ file, short = false }: { file: OwnerFile; short?: boolean }) {
  const isPublic = file.file.contentPublic;
  const userCount = new Set([...file.shared, ...targetSharesOf(file)].map(({ userId }) => userId)).size;
  if (!isPublic && userCount === 0) return <LinkBadge file={file} short={short} />;
  const StatusIcon = isPublic ? IconWorld : IconUsers;
  const text =
    isPublic && userCount > 0
      ? texts.publicAndShared(userCount)
      : isPublic
        ? m.files.filter.public
        : texts.shared(userCount);
  return (
    <span className={classes.badge} data-public={isPublic || undefined} title={text}>
      <StatusIcon size={16} stroke={1.6} aria-hidden="true" />
      <span className={short ? classes.visuallyHidden : classes.text}>{text}</span>
    </span>
  );
}

/** Badge of a file that is private or shared only by links. Renders nothing until the links are known. */
function LinkBadge({ file, short }: { file: OwnerFile; short: boolean }) {
  const { count } = useActiveLinks(file);
  if (count === undefined || (count === 0 && short)) return null;
  if (count === 0) return <span className={classes.privateText}>{texts.onlyYou}</span>;
  return (
    <span className={classes.badge} title={texts.byLink}>
      <IconLink size={16} stroke={1.6} aria-hidden="true" />
      <span className={short ? classes.visuallyHidden : classes.text}>{texts.byLink}</span>
    </span>
  );
}
