import { Anchor, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'react-router';
import { type MoveView, settleMove } from '../../api/move.ts';
import { Confirm } from '../../components/confirm.tsx';
import { tell } from '../../components/notices.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';
import { EXPOSURE } from '../../navigation.ts';
import classes from './move.module.css';

const words = m.move.arrived;

/** An account that came from elsewhere: what it waits for, and what no archive can bring along. */
export function Arrived({ arrived }: { arrived: NonNullable<MoveView['arrived']> }) {
  const [asking, dialog] = useDisclosure(false);
  const { name, settled } = arrived;
  const settle = async () => {
    await settleMove();
    tell(words.done);
  };
  return (
    <section className={classes.card} data-waits={settled === null} aria-label={words.held(name)}>
      <div className={classes.name} role="status">
        {settled === null ? words.held(name) : words.settled(name)}
      </div>
      {settled === null && <Text size="sm">{words.heldText}</Text>}
      <dl className={classes.facts}>
        <dt>{words.when}</dt>
        <dd>
          <When at={arrived.arrived} />
        </dd>
        <dt>{words.of}</dt>
        <dd>
          <When at={arrived.exported} />
        </dd>
      </dl>
      {settled === null && (
        <>
          <Text size="sm" fw={500}>
            {words.anew}
          </Text>
          <Anew anew={arrived.anew} />
          <div className={classes.actions}>
            <Button onClick={dialog.open}>{words.submit}</Button>
          </div>
          <Confirm
            opened={asking}
            close={dialog.close}
            title={words.confirm.title}
            keep={m.shell.cancel}
            submit={words.confirm.submit}
            begins
            onConfirm={settle}
          >
            {words.confirm.text}
          </Confirm>
        </>
      )}
    </section>
  );
}

function Anew({ anew }: { anew: NonNullable<MoveView['arrived']>['anew'] }) {
  const { applications, people, offers, contracts, functions, exchange } = anew;
  return (
    <ul className={classes.list}>
      <li>
        {words.address}{' '}
        <Anchor component={Link} to={EXPOSURE} size="sm" underline="always">
          {words.addressLink}
        </Anchor>
      </li>
      <li>
        {words.consents}{' '}
        <Anchor component={Link} to="/sharing" size="sm" underline="always">
          {words.consentsLink}
        </Anchor>
      </li>
      {applications.length > 0 && <li>{words.applications(applications)}</li>}
      {people.length > 0 && <li>{words.people(people)}</li>}
      {offers.length > 0 && <li>{words.offers(offers.length)}</li>}
      {contracts.length > 0 && <li>{words.contracts(contracts)}</li>}
      {functions.length > 0 && <li>{words.functions(functions)}</li>}
      {exchange !== null && <li>{words.exchange(exchange)}</li>}
      <li>{words.old}</li>
    </ul>
  );
}
