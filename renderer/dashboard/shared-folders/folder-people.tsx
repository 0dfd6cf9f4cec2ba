import { Anchor, Button, NativeSelect, Stack, Text } from '@mantine/core';
import { IconFolderShare, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { isInFolder } from '../../../server/wire/share-links.ts';
import type { SharedFolder } from '../../shared/api/contract.ts';
import { ForeignText } from '../../shared/components/foreign-text.tsx';
import { LoadError, LoadingSkeleton } from '../../shared/feedback/states.tsx';
import { m } from '../../shared/messages/texts.ts';
import { users } from '../api/account/users.ts';
import { sharedFolders } from '../api/files/shared-folders.ts';
import { PEOPLE_PATH } from '../navigation.ts';
import { type FolderShare, shareFolderWithUser } from './actions.ts';
import classes from './folder-people.module.css';
import { StopSharingFolder } from './stop-button.tsx';

const words = m.sharedFolders;
const ICON = { size: 18, stroke: 1.5 } as const;

/** People with access through shared folders. `open`: path of the folder for which they are listed, if it is one. */
export function FolderShares({ shares, open }: { shares: readonly FolderShare[]; open?: string }) {
  return (
    <ul className={classes.list}>
      {shares.map((share) => (
        <li key={share.sharedFolderId}>
          <IconFolderShare {...ICON} aria-hidden="true" />
          <div>
            <strong>
              <ForeignText>{share.name}</ForeignText>
            </strong>
            <span className={classes.soft}>
              {share.folder === open ? words.canOpenAll : words.canOpenThrough(share.folder)}
            </span>
          </div>
          <StopSharingFolder share={share} />
        </li>
      ))}
    </ul>
  );
}

/** People with whom a folder is shared, and a form that shares it with another one. */
export function FolderPeople({ folder }: { folder: string }) {
  const people = useQuery(users);
  const shared = useQuery(sharedFolders);
  if (people.isPending || shared.isPending) return <LoadingSkeleton rows={3} />;
  const error = people.error ?? shared.error;
  if (error !== null) {
    return (
      <LoadError
        error={error}
        retry={() => {
          void people.refetch();
          void shared.refetch();
        }}
      />
    );
  }
  const shares = (shared.data ?? []).filter((share) => share.folder === folder || isInFolder(share.folder, folder));
  return (
    <Stack gap="md">
      {shares.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.notShared}
        </Text>
      ) : (
        <FolderShares shares={shares} open={folder} />
      )}
      <ShareForm folder={folder} shares={shares} people={people.data ?? []} />
    </Stack>
  );
}

interface ShareFormProps {
  folder: string;
  shares: readonly SharedFolder[];
  people: readonly { userId: string; name: string; enabled: boolean }[];
}

function ShareForm({ folder, shares, people }: ShareFormProps) {
  const [userId, setUserId] = useState('');
  const [busy, setBusy] = useState(false);
  // Disabled users are not offered, because they cannot sign in.
  const others = people.filter(
    (user) => user.enabled && !shares.some((share) => share.userId === user.userId && share.folder === folder),
  );
  if (others.length === 0) {
    return (
      <Text size="sm">
        {people.length === 0 ? words.noPeople : words.noOthers}{' '}
        <Anchor component={Link} to={PEOPLE_PATH} size="sm">
          {words.toPeople}
        </Anchor>
      </Text>
    );
  }
  const selected = others.find((user) => user.userId === userId);
  const share = async (event: FormEvent) => {
    event.preventDefault();
    if (selected === undefined) return;
    setBusy(true);
    await shareFolderWithUser(folder, selected);
    setBusy(false);
    setUserId('');
  };
  return (
    <form onSubmit={(event) => void share(event)}>
      <Stack gap="sm">
        <NativeSelect
          label={words.choose}
          description={words.text}
          value={selected === undefined ? '' : userId}
          data={[
            { value: '', label: words.chooseNone },
            ...others.map(({ userId: value, name }) => ({ value, label: name })),
          ]}
          onChange={({ currentTarget: { value } }) => setUserId(value)}
        />
        <Button
          type="submit"
          className={classes.submit ?? ''}
          leftSection={<IconUserPlus size={16} stroke={1.6} />}
          disabled={selected === undefined}
          loading={busy}
        >
          {selected === undefined ? words.submit : words.submitFor(selected.name)}
        </Button>
      </Stack>
    </form>
  );
}
