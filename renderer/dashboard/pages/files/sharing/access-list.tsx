import { ForeignText } from '../../../../shared/components/foreign-text.tsx';
import { Text } from '@mantine/core';
import { IconUser, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { publicFileUrl } from '../../../api/files/queries.ts';
import { shareLinks } from '../../../api/files/share-links.ts';
import { CopyableValue } from '../../../../shared/components/copyable-value.tsx';
import { ActionButton } from '../../../../shared/feedback/action-button.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { makePrivate, revokeUserAccess } from './actions.tsx';
import { opensFile } from './link-sharing.tsx';
import classes from './access-list.module.css';
import { useBaseUrl } from '../../../api/queries.ts';
import { targetSharesOf } from '../../../api/files/target-shares.ts';
import { TargetShares } from '../../../share-targets/target-people.tsx';

const words = m.files.share;
const ICON_PROPS = { size: 18, stroke: 1.5 } as const;

/**
 * Users with access to a file, its public link, and the number of its active share links. Entries of users and the public
 * link have a button that revokes the access.
 */
export function FileAccessList({ file }: { file: OwnerFile }) {
  const { shared, file: record } = file;
  const targetShares = targetSharesOf(file);
  const links = (useQuery(shareLinks).data ?? []).filter((link) => link.state === 'active' && opensFile(link, file));
  if (shared.length === 0 && targetShares.length === 0 && links.length === 0 && !record.contentPublic) {
    return (
      <Text size="sm" c="dimmed">
        {words.onlyYou}
      </Text>
    );
  }
  return (
    <>
      {targetShares.length > 0 && <TargetShares shares={targetShares} />}
      {(shared.length > 0 || record.contentPublic) && <FileShares file={file} />}
      {links.length > 0 && <Text size="sm">{words.byLink(links.length)}</Text>}
    </>
  );
}

function FileShares({ file }: { file: OwnerFile }) {
  const { shared, file: record } = file;
  return (
    <ul className={classes.list}>
      {record.contentPublic && (
        <li>
          <IconWorld {...ICON_PROPS} aria-hidden="true" className={classes.public} />
          <div>
            <span>{words.publicNow}</span>
            <PublicLink fileId={record.fileId} />
          </div>
          <ActionButton isStop label={words.stopPublic} action={() => makePrivate(file)}>
            {words.stop}
          </ActionButton>
        </li>
      )}
      {shared.map((user) => (
        <li key={user.userId}>
          <IconUser {...ICON_PROPS} aria-hidden="true" />
          <div>
            <strong>
              <ForeignText>{user.name}</ForeignText>
            </strong>
            <span className={classes.soft}>{user.contentReadable ? words.canOpen : words.canSee}</span>
          </div>
          <ActionButton isStop label={words.stopPerson(user.name)} action={() => revokeUserAccess(file, user)}>
            {words.stop}
          </ActionButton>
        </li>
      ))}
    </ul>
  );
}

/** Public link of a file, with a note if it works only on this network. */
function PublicLink({ fileId }: { fileId: string }): ReactNode {
  const { baseUrl, isPublic } = useBaseUrl();
  return (
    <>
      <CopyableValue value={publicFileUrl(baseUrl, fileId)} label={words.copyLink} />
      {!isPublic && <span className={classes.soft}>{words.onlyHere}</span>}
    </>
  );
}
