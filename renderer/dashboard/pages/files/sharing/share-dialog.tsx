import { Anchor, Button, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { IconUserPlus, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { users } from '../../../api/account/users.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { titleOf } from '../file-kinds.ts';
import classes from './share-dialog.module.css';
import { shareWithAnybody, shareWithPerson } from './actions.tsx';
import { WhoCanSee } from './access-list.tsx';

const words = m.files.share;
const ICON = { size: 16, stroke: 1.6 } as const;

interface ShareDialogProps {
  file: OwnerFile;
  opened: boolean;
  close: () => void;
}

/** Gives a file to a person or to anybody, and shows who has it. */
export function ShareDialog({ file, opened, close }: ShareDialogProps) {
  return (
    <Dialog
      opened={opened}
      onClose={close}
      size="lg"
      title={words.title(titleOf(file))}
      // Over the drawer, whose head is the one that names a place of the page.
      attributes={{ header: { role: 'presentation' } }}
    >
      <section className={classes.part} aria-label={words.whoNow}>
        <h3>{words.whoNow}</h3>
        <WhoCanSee file={file} />
      </section>
      <section className={classes.part} aria-label={words.person}>
        <h3>{words.person}</h3>
        <WithPerson file={file} />
      </section>
      {!file.file.contentPublic && (
        <section className={classes.part} aria-label={words.anybody}>
          <h3>{words.anybody}</h3>
          <WithAnybody file={file} />
        </section>
      )}
    </Dialog>
  );
}

function WithPerson({ file }: { file: OwnerFile }) {
  const known = useQuery(users);
  const [userId, setUserId] = useState('');
  const [level, setLevel] = useState<'open' | 'see'>('open');
  const [busy, setBusy] = useState(false);
  if (known.isPending) return <LoadingSkeleton rows={2} />;
  if (known.isError) return <LoadError error={known.error} retry={() => void known.refetch()} />;
  // Who is shut out could not use it; what they had been given is kept for them.
  const enabled = known.data.filter((one) => one.enabled);
  if (enabled.length === 0) {
    return (
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{words.noPeople}</Text>
        <Anchor component={Link} to="/settings/people" size="sm">
          {words.addPerson}
        </Anchor>
      </Stack>
    );
  }
  const person = enabled.find((one) => one.userId === userId);
  const share = async (event: FormEvent) => {
    event.preventDefault();
    if (person === undefined) return;
    setBusy(true);
    await shareWithPerson(file, { userId, name: person.name, contentReadable: level === 'open' });
    setBusy(false);
    setUserId('');
  };
  return (
    <form onSubmit={(event) => void share(event)}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {words.personText}
        </Text>
        <NativeSelect
          label={words.choose}
          value={userId}
          data={[
            { value: '', label: words.chooseNone },
            ...enabled.map(({ userId: value, name, email }) => ({
              value,
              label: email === undefined ? name : `${name} (${email})`,
            })),
          ]}
          onChange={({ currentTarget: { value } }) => setUserId(value)}
        />
        <Radio.Group label={words.level} value={level} onChange={(value) => setLevel(value === 'see' ? 'see' : 'open')}>
          <Stack gap="sm" mt="xs">
            <Radio value="open" label={words.levels.open} />
            <Radio value="see" label={words.levels.see} />
          </Stack>
        </Radio.Group>
        <Button
          type="submit"
          className={classes.act ?? ''}
          leftSection={<IconUserPlus {...ICON} />}
          disabled={person === undefined}
          loading={busy}
        >
          {person === undefined ? words.allowNobody : words.allow(person.name)}
        </Button>
      </Stack>
    </form>
  );
}

function WithAnybody({ file }: { file: OwnerFile }) {
  const [busy, setBusy] = useState(false);
  const share = async () => {
    setBusy(true);
    await shareWithAnybody(file);
    setBusy(false);
  };
  return (
    <Stack gap="sm">
      <Text size="sm">{words.anybodyText}</Text>
      <Button
        variant="default"
        className={classes.act ?? ''}
        leftSection={<IconWorld {...ICON} />}
        loading={busy}
        onClick={() => void share()}
      >
        {words.makePublic}
      </Button>
    </Stack>
  );
}
