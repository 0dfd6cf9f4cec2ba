import { Text, Title } from '@mantine/core';
import { IconApi, IconChevronRight, IconDatabaseImport, IconPencil, IconWorld } from '@tabler/icons-react';
import { Link } from 'react-router';
import { m } from '../../messages/en.ts';
import { NETWORK } from '../../navigation.ts';
import classes from './first-steps.module.css';

const words = m.home.empty;

const ways = [
  { to: '/data/imports', icon: IconDatabaseImport, title: words.importTitle, text: words.importText },
  { to: '/data?add=1', icon: IconPencil, title: words.addTitle, text: words.addText },
  { to: '/settings/api', icon: IconApi, title: words.apiTitle, text: words.apiText },
  { to: NETWORK, icon: IconWorld, title: m.network.setup.title, text: m.network.setup.text },
];

/** What to do first in a PDA that holds nothing. */
export function FirstSteps() {
  return (
    <section>
      <Title order={2}>{words.title}</Title>
      <Text size="sm" c="dimmed" mb="md">
        {words.text}
      </Text>
      <ul className={classes.ways}>
        {ways.map(({ to, icon: Picture, title, text }) => (
          <li key={to}>
            <Link to={to} className={classes.way}>
              <Picture size={22} stroke={1.5} aria-hidden="true" />
              <span>
                <strong>{title}</strong>
                <span>{text}</span>
              </span>
              <IconChevronRight size={18} stroke={1.6} aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
