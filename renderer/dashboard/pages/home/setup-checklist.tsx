import { Text, UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { backup } from '../../api/account/backup.ts';
import { type FirstStep, dismissStep, dismissedSteps } from '../../api/account/examples.ts';
import { exposure } from '../../api/account/exposure.ts';
import { profile } from '../../api/account/profile.ts';
import { secondFactor } from '../../api/account/second-factor.ts';
import { showProblemToast } from '../../../shared/feedback/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { BACKUP_PATH, EXPOSURE_PATH, PROFILE_PATH } from '../../navigation.ts';
import classes from './setup-checklist.module.css';

const words = m.home.todo;

interface Todo {
  step: FirstStep;
  title: string;
  text: string;
  to: string;
}

/** What a new owner has not done yet. Nothing is said of what is not known yet: a line that goes again is worse than one that comes late. */
function useTodos(): Todo[] {
  const waved = useQuery(dismissedSteps).data?.waved;
  const copies = useQuery(backup).data;
  const outside = useQuery(exposure).data;
  const guarded = useQuery(secondFactor).data;
  const mine = useQuery(profile).data;
  if (waved === undefined) return [];
  const all: (Todo & { isOpen: boolean })[] = [
    { step: 'backup', title: words.backup, text: words.backupText, to: BACKUP_PATH, isOpen: copies?.folder === null },
    {
      step: 'secondFactor',
      title: words.secondFactor,
      text: words.secondFactorText,
      to: '/settings/security',
      isOpen: guarded?.on === false,
    },
    {
      step: 'address',
      title: words.address,
      text: words.addressText,
      to: EXPOSURE_PATH,
      isOpen: outside?.way === 'none',
    },
    {
      step: 'profile',
      title: words.profile,
      text: words.profileText,
      to: PROFILE_PATH,
      isOpen: mine !== undefined && Object.keys(mine.values).length === 0,
    },
  ];
  return all.filter(({ step, isOpen }) => isOpen && !waved.includes(step));
}

/** One line each, until it is done or waved away. */
export function StillToDo() {
  const todos = useTodos();
  if (todos.length === 0) return null;
  return (
    <Section title={words.title}>
      <Text size="sm" c="dimmed" mb="sm">
        {words.hint}
      </Text>
      <ul className={classes.todos}>
        {todos.map(({ step, title, text, to }) => (
          <li key={step}>
            <Link to={to} className={classes.todo}>
              <span>
                <strong>{title}</strong>
                <small>{text}</small>
              </span>
              <IconChevronRight size={16} stroke={1.6} aria-hidden="true" />
            </Link>
            <UnstyledButton
              className={classes.wave ?? ''}
              aria-label={words.waveLabel(title)}
              onClick={() =>
                void dismissStep(step, true).catch((error: unknown) => showProblemToast(m.shell.problem.notDone, error))
              }
            >
              {words.wave}
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </Section>
  );
}
