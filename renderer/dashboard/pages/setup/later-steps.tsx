import { Box, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { backup } from '../../api/account/backup.ts';
import { EntryFrame } from '../../../shared/layout/entry-frame.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { EXPOSURE_PATH } from '../../navigation.ts';
import { RecoveryKey } from '../backup/recovery-key.tsx';
import { SetUpForm } from '../backup/set-up-form.tsx';
import { DataSourceList } from '../home/first-steps.tsx';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.entry.setup.after;

export const LATER_STEPS = ['safe', 'address', 'data'] as const;
type LaterStep = (typeof LATER_STEPS)[number];

export function LaterSteps({ step, goTo }: { step: LaterStep; goTo: (next: LaterStep) => void }) {
  if (step === 'safe') return <BackupStep next={() => goTo('address')} />;
  if (step === 'address') return <AddressStep next={() => goTo('data')} />;
  return <DataStep />;
}

function Frame({ step, text, children }: { step: LaterStep; text: string; children: ReactNode }) {
  return (
    <EntryFrame
      title={texts[step].title}
      windowTitle={m.entry.setup.pageTitle}
      aboveTitle={texts.steps(LATER_STEPS.indexOf(step) + 1, LATER_STEPS.length)}
      text={text}
      step={step}
    >
      {children}
    </EntryFrame>
  );
}

function LaterHint({ children }: { children: string }) {
  return (
    <Text c="dimmed" mt="lg">
      {children}
    </Text>
  );
}

function BackupStep({ next }: { next: () => void }) {
  const [recoveryKey, setRecoveryKey] = useState<string | null>(null);
  const isSetUp = (useQuery(backup).data?.folder ?? null) !== null;
  return (
    <Frame step="safe" text={isSetUp ? texts.safe.done : texts.safe.text}>
      {!isSetUp && <SetUpForm showRecoveryKey={setRecoveryKey} />}
      <Group mt={isSetUp ? 0 : 'md'}>
        <Button size="md" variant={isSetUp ? 'filled' : 'default'} onClick={next}>
          {isSetUp ? texts.safe.next : texts.later}
        </Button>
      </Group>
      <LaterHint>{texts.safe.laterHint}</LaterHint>
      <RecoveryKey value={recoveryKey} close={() => setRecoveryKey(null)} />
    </Frame>
  );
}

function AddressStep({ next }: { next: () => void }) {
  return (
    <Frame step="address" text={texts.address.text}>
      <Group>
        <Button size="md" onClick={next}>
          {texts.address.stay}
        </Button>
        <TextLink to={EXPOSURE_PATH} data-standalone>
          {texts.address.give}
        </TextLink>
      </Group>
      <LaterHint>{texts.address.laterHint}</LaterHint>
    </Frame>
  );
}

function DataStep() {
  const navigate = useNavigate();
  const enter = () => void navigate('/', { replace: true });
  return (
    <Frame step="data" text={texts.data.text}>
      <Box mb="lg">
        <DataSourceList short onExamplesAdded={enter} />
      </Box>
      <Button size="md" variant="default" onClick={enter}>
        {texts.data.empty}
      </Button>
    </Frame>
  );
}
