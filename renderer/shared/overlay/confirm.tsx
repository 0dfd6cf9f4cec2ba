import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { showToast } from '../feedback/toasts.tsx';
import { SubmitError } from '../feedback/states.tsx';
import { useSubmit } from '../feedback/use-submit.ts';

interface QuestionProps {
  close: () => void;
  /** What will be so afterwards. */
  children: ReactNode;
  keep: string;
  submit: string;
  /** Something begins by it rather than ends. */
  begins?: boolean;
  onConfirm: () => Promise<unknown>;
}

/** Asks once more before something ends or goes. The dialog closes when that is done; what keeps it from being done is said in it. */
export function ConfirmDialog({ opened, title, ...question }: QuestionProps & { opened: boolean; title: string }) {
  return (
    <Dialog opened={opened} onClose={question.close} title={title}>
      <Question {...question} />
    </Dialog>
  );
}

interface EndProps {
  opened: boolean;
  close: () => void;
  /** What it is about. */
  name: string;
  words: {
    title: (name: string) => string;
    keep: string;
    submit: string;
    done: (name: string) => string;
    doneText?: string;
  };
  end: () => Promise<unknown>;
  children: ReactNode;
}

/** Asks once more before something that has a name ends, and says so when it has. */
export function ConfirmEndDialog({ opened, close, name, words, end, children }: EndProps) {
  const confirm = async () => {
    await end();
    showToast(words.done(name), words.doneText);
  };
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={words.title(name)}
      keep={words.keep}
      submit={words.submit}
      onConfirm={confirm}
    >
      {children}
    </ConfirmDialog>
  );
}

function Question({ close, children, keep, submit, begins = false, onConfirm }: QuestionProps) {
  const { busy, problem, run } = useSubmit();
  const confirm = async () => {
    await onConfirm();
    close();
  };
  return (
    <Stack gap="md">
      {typeof children === 'string' ? <Text size="sm">{children}</Text> : children}
      <SubmitError problem={problem} />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close} data-autofocus>
          {keep}
        </Button>
        <Button color={begins ? 'teal' : 'brick'} loading={busy} onClick={() => void run(confirm)}>
          {submit}
        </Button>
      </Group>
    </Stack>
  );
}
