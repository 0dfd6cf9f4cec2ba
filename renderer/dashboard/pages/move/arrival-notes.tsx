import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type MoveView, activateImport } from '../../api/account/move.ts';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { EXPOSURE_PATH } from '../../navigation.ts';
import classes from './move.module.css';
import lists from '../../../shared/components/lists.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

const words = m.move.imported;

export function ArrivalNotes({ arrived }: { arrived: NonNullable<MoveView['arrived']> }) {
  const [isConfirmOpen, dialog] = useDisclosure(false);
  const { name, settled: activatedAt } = arrived;
  const title = activatedAt === null ? words.pendingActivation(name) : words.activated(name);
  const activate = async () => {
    await activateImport();
    showToast(words.done);
  };
  return (
    <section className={classes.card} data-pending={activatedAt === null} aria-label={title}>
      <Text component="div" fz="lg" fw={600} role="status">
        {title}
      </Text>
      {activatedAt === null && <Text>{words.pendingActivationText}</Text>}
      <dl className={classes.facts}>
        <dt>{words.when}</dt>
        <dd>
          <RelativeTime at={arrived.arrived} />
        </dd>
        <dt>{words.archiveCreated}</dt>
        <dd>
          <RelativeTime at={arrived.exported} />
        </dd>
      </dl>
      {activatedAt === null && (
        <>
          <Text fw={500}>{words.toDo}</Text>
          <FollowUps followUps={arrived.followUps} />
          <Group gap="0.75rem">
            <Button onClick={dialog.open}>{words.submit}</Button>
          </Group>
          <ConfirmDialog
            opened={isConfirmOpen}
            close={dialog.close}
            title={words.confirm.title}
            cancelLabel={m.shell.cancel}
            confirmLabel={words.submit}
            isDestructive={false}
            onConfirm={activate}
          >
            {words.confirm.text}
          </ConfirmDialog>
        </>
      )}
    </section>
  );
}

function FollowUps({ followUps }: { followUps: NonNullable<MoveView['arrived']>['followUps'] }) {
  const { applications, people, offers, contracts, functions, exchange } = followUps;
  return (
    <ul className={lists.bullets} style={{ overflowWrap: 'anywhere' }}>
      <li>
        {words.address}{' '}
        <TextLink to={EXPOSURE_PATH} underline="always">
          {words.addressLink}
        </TextLink>
      </li>
      <li>
        {words.consents}{' '}
        <TextLink to="/sharing" underline="always">
          {words.consentsLink}
        </TextLink>
      </li>
      {applications.length > 0 && <li>{words.applications(applications)}</li>}
      {people.length > 0 && <li>{words.people(people)}</li>}
      {offers.length > 0 && <li>{words.offers(offers.length)}</li>}
      {contracts.length > 0 && <li>{words.contracts(contracts)}</li>}
      {functions.length > 0 && <li>{words.functions(functions)}</li>}
      {exchange !== null && <li>{words.exchange(exchange)}</li>}
      <li>{words.eraseOld}</li>
    </ul>
  );
}
