import { Loader, Text, Title, UnstyledButton } from '@mantine/core';
import {
  type Icon,
  IconApi,
  IconChevronRight,
  IconDatabaseImport,
  IconHomeMove,
  IconPencil,
  IconSparkles,
  IconWorld,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { addExamples } from '../../api/account/examples.ts';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { MOVE_PATH, NETWORK_PATH } from '../../navigation.ts';
import classes from './first-steps.module.css';

const words = m.home.empty;

interface Way {
  to: string;
  icon: Icon;
  title: string;
  text: string;
}

const importing: Way = {
  to: '/data/imports',
  icon: IconDatabaseImport,
  title: words.importTitle,
  text: words.importText,
};
const moving: Way = { to: MOVE_PATH, icon: IconHomeMove, title: words.moveTitle, text: words.moveText };
const others: readonly Way[] = [
  { to: '/data?add=1', icon: IconPencil, title: words.addTitle, text: words.addText },
  { to: '/settings/api', icon: IconApi, title: words.apiTitle, text: words.apiText },
  { to: NETWORK_PATH, icon: IconWorld, title: m.network.setup.title, text: m.network.setup.text },
];

/** What to do first in a PDA that holds nothing. */
export function FirstSteps() {
  return (
    <section>
      <Title order={2}>{words.title}</Title>
      <Text size="sm" c="dimmed" mb="md">
        {words.text}
      </Text>
      <Ways />
    </section>
  );
}

/** How data gets in. @param onExamples what follows when example data was put here */
export function Ways({ few = false, onExamples }: { few?: boolean; onExamples?: () => void }) {
  const { busy, problem, run } = useSubmit();
  const put = async () => {
    await addExamples();
    onExamples?.();
  };
  return (
    <>
      <ul className={classes.ways}>
        <LinkedWay way={importing} />
        <li>
          <UnstyledButton className={classes.way ?? ''} disabled={busy} onClick={() => void run(put)}>
            <Shown icon={IconSparkles} title={m.examples.offer} text={m.examples.offerText}>
              {busy ? (
                <Loader size={18} aria-label={m.examples.putting} />
              ) : (
                <IconChevronRight size={18} stroke={1.6} aria-hidden="true" />
              )}
            </Shown>
          </UnstyledButton>
        </li>
        <LinkedWay way={moving} />
        {!few && others.map((way) => <LinkedWay key={way.to} way={way} />)}
      </ul>
      <SubmitError problem={problem} />
    </>
  );
}

function LinkedWay({ way: { to, ...shown } }: { way: Way }) {
  return (
    <li>
      <Link to={to} className={classes.way}>
        <Shown {...shown}>
          <IconChevronRight size={18} stroke={1.6} aria-hidden="true" />
        </Shown>
      </Link>
    </li>
  );
}

function Shown({ icon: Picture, title, text, children }: Omit<Way, 'to'> & { children: ReactNode }) {
  return (
    <>
      <Picture size={22} stroke={1.5} aria-hidden="true" />
      <span>
        <strong>{title}</strong>
        <span>{text}</span>
      </span>
      {children}
    </>
  );
}
