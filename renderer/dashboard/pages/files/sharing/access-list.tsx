import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { Anchor, Text } from '@mantine/core';
import { IconUser, IconWorld } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { publicFileUrl } from '../../../api/files/queries.ts';
import { CopyableValue } from '../../../../shared/components/copyable-value.tsx';
import { ActionButton } from '../../../../shared/feedback/action-button.tsx';
import { LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { makePrivate, revokeUserAccess } from './actions.tsx';
import { useActiveLinks } from './use-active-links.ts';
import classes from './access-list.module.css';
import { useBaseUrl } from '../../../api/queries.ts';
import { targetSharesOf } from '../../../api/files/target-shares.ts';
import { TargetShares } from '../../../share-targets/target-sharing.tsx';

const texts = m.files.share;
const ICON_PROPS = { size: 18, stroke: 1.5 } as const;

export function FileAccessList({ file }: { file: OwnerFile }) {
  const { shared, file: record } = file;
  const targetShares = targetSharesOf(file);
  const hasFileShares = shared.length > 0 || record.contentPublic;
  return (
    <>
      {targetShares.length > 0 && <TargetShares shares={targetShares} />}
      {hasFileShares && <FileShares file={file} />}
      <LinkShares file={file} hasOtherShares={targetShares.length > 0 || hasFileShares} />
    </>
  );
}

function LinkShares({ file, hasOtherShares }: { file: OwnerFile; hasOtherShares: boolean }) {
  const { count, retry } = useActiveLinks(file);
  if (retry !== undefined) {
    return (
      <Text>
        {texts.linksNotLoaded}{' '}
        <Anchor component="button" type="button" onClick={retry}>
          {m.shell.retry}
        </Anchor>
      </Text>
    );
  }
  if (count === undefined) return <LoadingSkeleton rows={1} />;
  if (count > 0) return <Text>{texts.byLink(count)}</Text>;
  return hasOtherShares ? null : <Text c="dimmed">{texts.onlyYou}</Text>;
}

function FileShares({ file }: { file: OwnerFile }) {
  const { shared, file: record } = file;
  return (
    <ul className={classes.list}>
      {record.contentPublic && (
        <li>
          <IconWorld {...ICON_PROPS} aria-hidden="true" className={classes.publicIcon} />
          <div>
            <span>{texts.publicNow}</span>
            <PublicLink fileId={record.fileId} />
          </div>
          <ActionButton isDestructive label={texts.stopPublic} action={() => makePrivate(file)}>
            {m.shell.stop}
          </ActionButton>
        </li>
      )}
      {shared.map((user) => (
        <li key={user.userId}>
          <IconUser {...ICON_PROPS} aria-hidden="true" />
          <div>
            <strong>
              <UntrustedText>{user.name}</UntrustedText>
            </strong>
            <span className={classes.secondaryText}>{user.contentReadable ? texts.canOpen : texts.canSee}</span>
          </div>
          <ActionButton isDestructive label={texts.stopPerson(user.name)} action={() => revokeUserAccess(file, user)}>
            {m.shell.stop}
          </ActionButton>
        </li>
      ))}
    </ul>
  );
}

function PublicLink({ fileId }: { fileId: string }): ReactNode {
  const { baseUrl, isPublic } = useBaseUrl();
  return (
    <>
      <CopyableValue value={publicFileUrl(baseUrl, fileId)} label={texts.copyLink} />
      {!isPublic && <span className={classes.secondaryText}>{texts.onlyHere}</span>}
    </>
  );
}
