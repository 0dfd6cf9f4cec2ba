import { Box, CloseButton, Text } from '@mantine/core';
import { LoadError } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ProgressMeter } from '../../../components/progress-meter.tsx';
import classes from './install-progress.module.css';
import { dismissInstallation, useInstallation } from './use-install.ts';

const texts = m.functions.install;

/** Shows the progress of an upload, or why the installation failed. Renders nothing without an installation. */
export function InstallProgress() {
  const installation = useInstallation();
  if (installation === undefined) return null;
  const { name, size, sent, rejection, problem } = installation;
  if (rejection !== undefined || problem !== undefined) {
    return (
      <div className={classes.failure}>
        {rejection === undefined ? (
          <LoadError error={problem} title={texts.failed(name)} />
        ) : (
          <div className={classes.rejection} role="alert">
            <Text size="md" fw={500}>
              {texts.failed(name)}
            </Text>
            <Text>{rejection}</Text>
          </div>
        )}
        <CloseButton aria-label={texts.dismiss} onClick={dismissInstallation} />
      </div>
    );
  }
  const isUploaded = sent >= size;
  return (
    <Box component="section" maw="40rem" mb="2rem" aria-live="polite">
      <Text size="md" fw={500}>
        {isUploaded ? texts.checking(name) : texts.sending(name)}
      </Text>
      <ProgressMeter
        label={texts.sending(name)}
        share={sent / Math.max(1, size)}
        detail={isUploaded ? texts.checkingText : texts.progress(sent, size)}
        remaining={undefined}
      />
    </Box>
  );
}
