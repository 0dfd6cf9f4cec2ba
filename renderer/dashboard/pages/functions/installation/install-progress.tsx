import { Box, CloseButton, Text } from '@mantine/core';
import { LoadError } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ProgressMeter } from '../../../components/progress-meter.tsx';
import classes from './install-progress.module.css';
import { dismissInstallation, useInstallation } from './use-install.ts';

const words = m.functions.install;

/** Shows the progress of an upload, or why the installation failed. Renders nothing without an installation. */
export function InstallProgress() {
  const installation = useInstallation();
  if (installation === undefined) return null;
  const { name, size, sent, rejection, problem } = installation;
  if (rejection !== undefined || problem !== undefined) {
    return (
      <div className={classes.failure}>
        {rejection === undefined ? (
          <LoadError error={problem} title={words.failed(name)} />
        ) : (
          <div className={classes.rejection} role="alert">
            <Text size="md" fw={500}>
              {words.failed(name)}
            </Text>
            <Text>{rejection}</Text>
          </div>
        )}
        <CloseButton aria-label={words.dismiss} onClick={dismissInstallation} />
      </div>
    );
  }
  const isUploaded = sent >= size;
  return (
    <Box component="section" maw="40rem" mb="2rem" aria-live="polite">
      <Text size="md" fw={500}>
        {isUploaded ? words.checking(name) : words.sending(name)}
      </Text>
      <ProgressMeter
        label={words.sending(name)}
        share={sent / Math.max(1, size)}
        detail={isUploaded ? words.checkingText : words.progress(sent, size)}
        remaining={undefined}
      />
    </Box>
  );
}
