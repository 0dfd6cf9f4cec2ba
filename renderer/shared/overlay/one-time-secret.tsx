import { Button, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy, IconPrinter } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { m } from '../messages/texts.ts';
import { Dialog, type DialogState } from './dialog.tsx';
import classes from './one-time-secret.module.css';

const ICON_PROPS = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;

interface OneTimeSecretProps extends DialogState {
  texts: { dialog: string; copy: string; print: string; confirmSaved: string };
  /** Explains the purpose of the secret, and that it is shown only once. */
  text: string;
  /** Title of the printout. Must name the account. */
  printTitle: string;
  value: string;
  children: ReactNode;
}

/** Shows a secret once, to be copied or printed. Only confirmation closes the dialog, to prevent accidental loss. */
export function OneTimeSecret({ opened, close, texts, text, printTitle, value, children }: OneTimeSecretProps) {
  return (
    <Dialog opened={opened} onClose={close} withCloseButton={false} title={texts.dialog} isLocked>
      <Stack gap="md">
        <Text>{text}</Text>
        <div className={classes.sheet}>
          <p className={classes.printTitle}>{printTitle}</p>
          {children}
        </div>
        <Group justify="space-between" gap="sm">
          <Group gap="sm">
            <CopyButton value={value} timeout={1500}>
              {({ copied, copy }) => (
                <Button
                  variant="default"
                  leftSection={copied ? <IconCheck {...ICON_PROPS} /> : <IconCopy {...ICON_PROPS} />}
                  onClick={copy}
                >
                  {copied ? m.shell.copied : texts.copy}
                </Button>
              )}
            </CopyButton>
            <Button variant="default" leftSection={<IconPrinter {...ICON_PROPS} />} onClick={() => window.print()}>
              {texts.print}
            </Button>
          </Group>
          <Button onClick={close}>{texts.confirmSaved}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
