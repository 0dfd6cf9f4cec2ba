import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { backup } from '../../api/account/backup.ts';
import { type FirstStep, dismissedSteps, setStepDismissed } from '../../api/account/examples.ts';
import { exposure } from '../../api/account/exposure.ts';
import { profile } from '../../api/account/profile.ts';
import { secondFactor } from '../../api/account/second-factor.ts';
import { runWithToast } from '../../../shared/feedback/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { BACKUP_PATH, EXPOSURE_PATH, PROFILE_PATH } from '../../navigation.ts';
import classes from './setup-checklist.module.css';

const texts = m.home.todo;

interface SetupStep {
  step: FirstStep;
  title: string;
  text: string;
  to: string;
}

/**
 * Returns the steps that are neither done nor dismissed. Omits steps whose state is loading, because a step that
 * appears late is less distracting than one that disappears.
 */
function useOpenSteps(): SetupStep[] {
  const dismissedNames = useQuery(dismissedSteps).data?.dismissed;
  const backupState = useQuery(backup).data;
  const exposureState = useQuery(exposure).data;
  const secondFactorState = useQuery(secondFactor).data;
  const ownerProfile = useQuery(profile).data;
  if (dismissedNames === undefined) return [];
  const allSteps: (SetupStep & { isOpen: boolean })[] = [
    {
      step: 'backup',
      title: texts.backup,
      text: texts.backupText,
      to: BACKUP_PATH,
      isOpen: backupState?.folder === null,
    },
    {
      step: 'secondFactor',
      title: texts.secondFactor,
      text: texts.secondFactorText,
      to: '/settings/security',
      isOpen: secondFactorState?.on === false,
    },
    {
      step: 'address',
      title: texts.address,
      text: texts.addressText,
      to: EXPOSURE_PATH,
      isOpen: exposureState?.way === 'none',
    },
    {
      step: 'profile',
      title: texts.profile,
      text: texts.profileText,
      to: PROFILE_PATH,
      isOpen: ownerProfile !== undefined && Object.keys(ownerProfile.values).length === 0,
    },
  ];
  return allSteps.filter(({ step, isOpen }) => isOpen && !dismissedNames.includes(step));
}

export function SetupChecklist() {
  const openSteps = useOpenSteps();
  if (openSteps.length === 0) return null;
  return (
    <Section title={texts.title} text={texts.hint}>
      <ul className={classes.steps}>
        {openSteps.map(({ step, title, text, to }) => (
          <li key={step}>
            <Link to={to} className={classes.step}>
              <span>
                <strong>{title}</strong>
                <small>{text}</small>
              </span>
              <IconChevronRight size={16} stroke={1.6} aria-hidden="true" />
            </Link>
            <UnstyledButton
              className={classes.dismissButton ?? ''}
              aria-label={`${m.home.dismiss}: ${title}`}
              onClick={() => void runWithToast(() => setStepDismissed(step, true))}
            >
              {m.home.dismiss}
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </Section>
  );
}
