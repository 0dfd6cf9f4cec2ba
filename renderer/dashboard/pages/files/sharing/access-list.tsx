import { ForeignText } from '../../../../shared/components/foreign-text.tsx';
import { Button, Text } from '@mantine/core';
import { IconUser, IconWorld } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { publicLink } from '../../../api/files/queries.ts';
import { CopyableValue } from '../../../../shared/components/copyable-value.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { stopForAnybody, stopForPerson } from './actions.tsx';
import classes from './access-list.module.css';
import { useQuery } from '@tanstack/react-query';
import { owner } from '../../../api/queries.ts';

/** Returns the public address of this PDA; without one, the address of this page. */
function useAddress(): { base: string; isPublic: boolean } {
  const publicUrl = useQuery(owner).data?.publicUrl ?? null;
  return publicUrl === null
    ? { base: location.origin, isPublic: false }
    : { base: publicUrl.replace(/\/+$/, ''), isPublic: true };
}

const words = m.files.share;
const ICON = { size: 18, stroke: 1.5 } as const;

/** Everybody who can see a file, each with the one click that ends it. */
export function WhoCanSee({ file }: { file: OwnerFile }) {
  const { shared, file: record } = file;
  if (shared.length === 0 && !record.contentPublic) {
    return (
      <Text size="sm" c="dimmed">
        {words.onlyYou}
      </Text>
    );
  }
  return (
    <ul className={classes.list}>
      {record.contentPublic && (
        <li>
          <IconWorld {...ICON} aria-hidden="true" className={classes.public} />
          <div>
            <span>{words.publicNow}</span>
            <PublicLink fileId={record.fileId} />
          </div>
          <Stop label={words.stopPublic} stop={() => stopForAnybody(file)} />
        </li>
      )}
      {shared.map((person) => (
        <li key={person.userId}>
          <IconUser {...ICON} aria-hidden="true" />
          <div>
            <strong>
              <ForeignText>{person.name}</ForeignText>
            </strong>
            <span className={classes.soft}>{person.contentReadable ? words.canOpen : words.canSee}</span>
          </div>
          <Stop label={words.stopPerson(person.name)} stop={() => stopForPerson(file, person)} />
        </li>
      ))}
    </ul>
  );
}

/** The address to give away, and where it works. */
function PublicLink({ fileId }: { fileId: string }): ReactNode {
  const address = useAddress();
  const link = publicLink(address.base, fileId);
  return (
    <>
      <CopyableValue value={link} label={words.copyLink} />
      {!address.isPublic && <span className={classes.soft}>{words.onlyHere}</span>}
    </>
  );
}

function Stop({ label, stop }: { label: string; stop: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  return (
    <Button
      variant="default"
      size="xs"
      c="var(--stop)"
      aria-label={label}
      loading={busy}
      onClick={() => {
        setBusy(true);
        void stop().finally(() => setBusy(false));
      }}
    >
      {words.stop}
    </Button>
  );
}
