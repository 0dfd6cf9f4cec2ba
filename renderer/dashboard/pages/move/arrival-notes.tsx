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

const texts = m.move.imported;

export function ArrivalNotes({ arrived }: { arrived: NonNullable<MoveView['arrived']> }) {
  const [isConfirmOpen, dialog] = useDisclosure(false);
  const { name, settled: activatedAt } = arrived;
  const title = activatedAt === null ? texts.pendingActivation(name) : texts.activated(name);
  const activate = async () => {
    await activateImport();
    showToast(texts.done);
  };
  return (
    <section className={classes.card} data-pending={activatedAt === null} aria-label={title}>
      <Text component="div" fz="lg" fw={600} role="status">
        {title}
      </Text>
      {activatedAt === null && <Text>{texts.pendingActivationText}</Text>}
      <dl className={classes.facts}>
        <dt>{texts.when}</dt>
        <dd>
          <RelativeTime at={arrived.arrived} />
        </dd>
        <dt>{texts.archiveCreated}</dt>
        <dd>
          <RelativeTime at={arrived.exported} />
        </dd>
      </dl>
      {activatedAt === null && (
        <>
          <Text fw={500}>{texts.toDo}</Text>
          <FollowUps followUps={arrived.followUps} />
          <Group gap="0.75rem">
            <Button onClick={dialog.open}>{texts.submit}</Button>
          </Group>
          <ConfirmDialog
            opened={isConfirmOpen}
            close={dialog.close}
            title={texts.confirm.title}
            cancelLabel={m.shell.cancel}
            confirmLabel={texts.submit}
            isDestructive={false}
            onConfirm={activate}
          >
            {texts.confirm.text}
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
        {texts.address}{' '}
        <TextLink to={EXPOSURE_PATH} underline="always">
          {texts.addressLink}
        </TextLink>
      </li>
      <li>
        {texts.consents}{' '}
        <TextLink to="/sharing" underline="always">
          {texts.consentsLink}
        </TextLink>
      </li>
      {applications.length > 0 && <li>{texts.applications(applications)}</li>}
      {people.length > 0 && <li>{texts.people(people)}</li>}
      {offers.length > 0 && <li>{texts.offers(offers.length)}</li>}
      {contracts.length > 0 && <li>{texts.contracts(contracts)}</li>}
      {functions.length > 0 && <li>{texts.functions(functions)}</li>}
      {exchange !== null && <li>{texts.exchange(exchange)}</li>}
      <li>{texts.eraseOld}</li>
    </ul>
  );
}
