import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isInFolder } from '../../../server/wire/values.ts';
import { UntrustedText } from '../../shared/components/untrusted-text.tsx';
import { QueryBoundary, combineQueries } from '../../shared/feedback/query-boundary.tsx';
import { m } from '../../shared/messages/texts.ts';
import { users } from '../api/account/users.ts';
import { contentOfTarget, targetShares, type ShareTarget, type TargetShare } from '../api/files/target-shares.ts';
import { PEOPLE_PATH } from '../navigation.ts';
import { shareTargetWithUser } from './actions.ts';
import { PlaceNotice } from './place-notice.tsx';
import { StopSharingTargetButton } from './stop-button.tsx';
import { TargetIcon } from './target-icon.tsx';
import { TextLink } from '../../shared/components/text-link.tsx';
import classes from './target-sharing.module.css';

const texts = m.targetShares;

const isSame = (a: ShareTarget, b: ShareTarget): boolean => a.kind === b.kind && a.id === b.id;

/** Returns true if the targets are equal, or if the container is a folder that contains the target. */
const contains = (container: ShareTarget, target: ShareTarget): boolean =>
  isSame(container, target) ||
  (container.kind === 'folder' && target.kind === 'folder' && isInFolder(container.id, target.id));

/** @param viewedTarget folder or collection whose shares are listed; absent for a file */
export function TargetShares({ shares, viewedTarget }: { shares: readonly TargetShare[]; viewedTarget?: ShareTarget }) {
  return (
    <ul className={classes.list}>
      {shares.map((share) => (
        <ShareRow
          key={share.shareId}
          share={share}
          isDirect={viewedTarget !== undefined && isSame(share.target, viewedTarget)}
        />
      ))}
    </ul>
  );
}

/** @param isDirect false if the share is of a folder or collection that contains the viewed item */
function ShareRow({ share, isDirect }: { share: TargetShare; isDirect: boolean }) {
  const { target, name } = share;
  const targetTexts = texts[target.kind];
  return (
    <li>
      <TargetIcon target={target} size={18} />
      <div>
        <strong>
          <UntrustedText>{name}</UntrustedText>
        </strong>
        <span className={classes.secondaryText}>
          {isDirect ? texts.canOpenAll : targetTexts.canOpenThrough(target.kind === 'folder' ? target.id : target.name)}
        </span>
      </div>
      <StopSharingTargetButton share={share} />
    </li>
  );
}

export function TargetSharing({ target }: { target: ShareTarget }) {
  const people = useQuery(users);
  const sharesResult = useQuery(targetShares);
  const boundary = <QueryBoundary query={combineQueries(people, sharesResult)} rows={3} />;
  if (people.data === undefined || sharesResult.data === undefined) return boundary;
  const shares = sharesResult.data.filter((share) => contains(share.target, target));
  return (
    <Stack gap="md">
      {boundary}
      {shares.length === 0 ? (
        <Text c="dimmed">{texts.notShared}</Text>
      ) : (
        <TargetShares shares={shares} viewedTarget={target} />
      )}
      <ShareForm target={target} shares={shares} people={people.data} />
    </Stack>
  );
}

interface ShareFormProps {
  target: ShareTarget;
  shares: readonly TargetShare[];
  people: readonly { userId: string; name: string; enabled: boolean }[];
}

function ShareForm({ target, shares, people }: ShareFormProps) {
  const [userId, setUserId] = useState('');
  const [busy, setBusy] = useState(false);
  // Disabled users are not offered, because they cannot sign in.
  const otherPeople = people.filter(
    (user) => user.enabled && !shares.some((share) => share.userId === user.userId && isSame(share.target, target)),
  );
  if (otherPeople.length === 0) {
    return (
      <Text>
        {people.some(({ enabled }) => enabled) ? texts[target.kind].noOthers : m.files.share.noPeople}{' '}
        <TextLink to={PEOPLE_PATH} underline="always">
          {texts.inviteSomeone}
        </TextLink>
      </Text>
    );
  }
  const selectedPerson = otherPeople.find((user) => user.userId === userId);
  const share = async (event: FormEvent) => {
    event.preventDefault();
    if (selectedPerson === undefined) return;
    setBusy(true);
    await shareTargetWithUser(target, selectedPerson);
    setBusy(false);
    setUserId('');
  };
  return (
    <form onSubmit={(event) => void share(event)}>
      <Stack gap="sm">
        <PlaceNotice content={contentOfTarget(target)} />
        <NativeSelect
          label={m.files.share.choose}
          description={texts[target.kind].text}
          value={selectedPerson === undefined ? '' : userId}
          data={[
            { value: '', label: m.files.share.chooseNone },
            ...otherPeople.map(({ userId: value, name }) => ({ value, label: name })),
          ]}
          onChange={({ currentTarget: { value } }) => setUserId(value)}
        />
        <Button
          type="submit"
          w="fit-content"
          leftSection={<IconUserPlus size={16} stroke={1.6} />}
          disabled={selectedPerson === undefined}
          loading={busy}
        >
          {selectedPerson === undefined ? m.sharedViews.share : texts.submitFor(selectedPerson.name)}
        </Button>
      </Stack>
    </form>
  );
}
