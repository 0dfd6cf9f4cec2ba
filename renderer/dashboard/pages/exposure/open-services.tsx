import { Anchor, Text } from '@mantine/core';
import {
  type Icon,
  IconApps,
  IconContract,
  IconDevices,
  IconDoor,
  IconEye,
  IconFiles,
  IconUserCircle,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { Link } from 'react-router';
import type { Exposure } from '../../api/account/exposure.ts';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { CONTRACTS_PATH, PROFILE_PATH, filesPath } from '../../navigation.ts';
import classes from './exposure-page.module.css';
import { isReachable } from './status-text.ts';

const words = m.exposure.open;

interface Kind {
  id: keyof typeof words.kinds;
  amount: number;
  icon: Icon;
  title: string;
  text: string;
  to: string;
}

function kindsOf(open: Exposure['open']): Kind[] {
  const amounts: Record<Kind['id'], Omit<Kind, 'id' | 'amount' | 'title'>> = {
    publicFiles: {
      icon: IconWorld,
      text: words.publicFilesText(open.publicBytes),
      to: filesPath({ show: 'public' }),
    },
    sessions: { icon: IconDevices, text: words.sessionsText, to: '/settings/security' },
    people: { icon: IconUsers, text: words.peopleText, to: '/settings/people' },
    sharedFiles: { icon: IconFiles, text: words.sharedFilesText, to: filesPath({ show: 'shared' }) },
    applications: { icon: IconApps, text: words.applicationsText, to: '/applications' },
    debits: { icon: IconEye, text: words.debitsText, to: '/sharing' },
    contracts: { icon: IconContract, text: words.contractsText, to: CONTRACTS_PATH },
    profile: { icon: IconUserCircle, text: words.profileText, to: PROFILE_PATH },
  };
  const ids: Kind['id'][] = [
    'profile',
    'publicFiles',
    'sessions',
    'people',
    'sharedFiles',
    'applications',
    'debits',
    'contracts',
  ];
  return ids.map((id) => ({ id, amount: open[id], title: words[id](open[id]), ...amounts[id] }));
}

/** What others could use from outside, each with the page where it can be taken back. */
export function WhatIsOpen({ now: { open, state } }: { now: Exposure }) {
  const kinds = kindsOf(open);
  const closed = kinds.filter(({ amount }) => amount === 0);
  return (
    <Section title={words.title}>
      <Text size="sm" c="dimmed" mb="md">
        {isReachable(state) ? words.text : words.notNow}
      </Text>
      <ul className={classes.open} aria-label={words.title}>
        <li>
          <IconDoor size={20} stroke={1.5} aria-hidden="true" />
          <span>
            {words.everybody}
            <small>{words.everybodyText}</small>
          </span>
        </li>
        {kinds.map(
          ({ id, amount, icon: Picture, title, text, to }) =>
            amount > 0 && (
              <li key={id}>
                <Picture size={20} stroke={1.5} aria-hidden="true" />
                <span>
                  {title}
                  <small>{text}</small>
                </span>
                <Anchor
                  component={Link}
                  to={to}
                  size="sm"
                  aria-label={words.lookAt(title)}
                  className={classes.look ?? ''}
                >
                  {words.look}
                </Anchor>
              </li>
            ),
        )}
      </ul>
      {closed.length > 0 && (
        <Text size="sm" c="dimmed" mt="md">
          {words.nothing(closed.map(({ id }) => words.kinds[id]).join(', '))}
        </Text>
      )}
    </Section>
  );
}
