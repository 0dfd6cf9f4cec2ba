import { CloseButton, Text } from '@mantine/core';
import { LoadError } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ProgressMeter } from '../../../components/progress-meter.tsx';
import classes from './install-progress.module.css';
import { forgetInstalling, useInstalling } from './use-install.ts';

const words = m.functions.install;

/** The package that is on its way, or why it was not taken. Nothing when there is none. */
export function InstallingNow() {
  const now = useInstalling();
  if (now === undefined) return null;
  const { name, size, sent, refused, problem } = now;
  if (refused !== undefined || problem !== undefined) {
    return (
      <div className={classes.refused}>
        {refused === undefined ? (
          <LoadError error={problem} title={words.failed(name)} />
        ) : (
          <div className={classes.words} role="alert">
            <Text fw={500}>{words.failed(name)}</Text>
            <Text size="sm">{refused}</Text>
          </div>
        )}
        <CloseButton aria-label={words.dismiss} onClick={forgetInstalling} />
      </div>
    );
  }
  const isHere = sent >= size;
  return (
    <section className={classes.installing} aria-live="polite">
      <Text fw={500}>{isHere ? words.checking(name) : words.sending(name)}</Text>
      <ProgressMeter
        label={words.sending(name)}
        share={sent / Math.max(1, size)}
        detail={isHere ? words.checkingText : words.progress(sent, size)}
        remaining={undefined}
      />
    </section>
  );
}
