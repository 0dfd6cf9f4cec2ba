import { ActionIcon, Button, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { MAX_RECORD_VIEWS } from '../../../../../server/wire/limits.ts';
import type { RecordView, RecordViewsChange } from '../../../../../server/wire/record-views.ts';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { addRecordView, recordViews, saveRecordViews } from '../../../api/record-views.ts';
import classes from './saved-views.module.css';

const texts = m.recordTable.views;
const MAX_NAME_CHARS = 80;

interface SavedViewsProps {
  endpoint: string;
  /** Query parameters of the current view; empty for the default view. */
  current: string;
  open: (view: string) => void;
  /** Opens the column dialog; undefined without a table. */
  chooseColumns: (() => void) | undefined;
  /** Opens the dialog that shares the current view; undefined without a table. */
  share: (() => void) | undefined;
}

export function SavedViews({ endpoint, current, open, chooseColumns, share }: SavedViewsProps) {
  const { data: views = [] } = useQuery(recordViews(endpoint));
  const [dialog, setDialog] = useState<'save' | 'edit'>();
  const close = () => setDialog(undefined);
  const add = async (name: string) => {
    await addRecordView(endpoint, { name, view: current });
    showToast(texts.saved(isolateText(name)));
    close();
  };
  const change = async (newViews: RecordViewsChange) => {
    await saveRecordViews(endpoint, newViews);
    showToast(texts.changed);
    close();
  };
  const isFull = views.length >= MAX_RECORD_VIEWS;
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={16} stroke={1.6} />}>
            {texts.menu}
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={classes.dropdown ?? ''}>
          <Menu.Item onClick={() => open('')}>{texts.all}</Menu.Item>
          {views.map(({ id, name, view }) => (
            <Menu.Item key={id} onClick={() => open(view)} aria-current={view === current ? 'true' : undefined}>
              <bdi>{name}</bdi>
            </Menu.Item>
          ))}
          <Menu.Divider />
          {chooseColumns !== undefined && <Menu.Item onClick={chooseColumns}>{texts.columns}</Menu.Item>}
          <Menu.Item
            disabled={isFull || current === ''}
            title={isFull ? texts.tooMany(MAX_RECORD_VIEWS) : undefined}
            onClick={() => setDialog('save')}
          >
            {texts.save}
          </Menu.Item>
          {views.length > 0 && <Menu.Item onClick={() => setDialog('edit')}>{texts.edit}</Menu.Item>}
          {share !== undefined && <Menu.Item onClick={share}>{m.sharedViews.menu}</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      <Dialog opened={dialog === 'save'} onClose={close} title={texts.saveTitle}>
        <NameForm onSubmit={add} close={close} />
      </Dialog>
      <Dialog opened={dialog === 'edit'} onClose={close} title={texts.edit}>
        <ViewsForm views={views} onSubmit={change} close={close} />
      </Dialog>
    </>
  );
}

interface ViewsFormProps {
  views: readonly RecordView[];
  onSubmit: (views: RecordViewsChange) => Promise<void>;
  close: () => void;
}

function ViewsForm({ views, onSubmit, close }: ViewsFormProps) {
  const [inputs, setInputs] = useState(views);
  const { busy, problem, run } = useSubmit();
  const isComplete = inputs.every(({ name }) => name.trim() !== '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete) void run(() => onSubmit([...inputs]));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {inputs.map((input, index) => (
          <Group key={input.id} gap="xs" wrap="nowrap">
            <TextInput
              className={classes.name ?? ''}
              aria-label={texts.nameOf(index + 1)}
              maxLength={MAX_NAME_CHARS}
              value={input.name}
              onChange={(event) => {
                const name = event.currentTarget.value;
                setInputs(inputs.map((other) => (other === input ? { ...other, name } : other)));
              }}
            />
            <ActionIcon
              variant="default"
              size={36}
              aria-label={texts.remove(isolateText(input.name))}
              onClick={() => setInputs(inputs.filter((other) => other !== input))}
            >
              <IconTrash size={16} stroke={1.6} />
            </ActionIcon>
          </Group>
        ))}
        {inputs.length === 0 && <Text>{texts.none}</Text>}
        <SubmitError problem={problem} />
        <FormButtons busy={busy} isComplete={isComplete} close={close} />
      </Stack>
    </form>
  );
}

function FormButtons({ busy, isComplete, close }: { busy: boolean; isComplete: boolean; close: () => void }) {
  return (
    <Group gap="sm">
      <Button type="submit" loading={busy} disabled={!isComplete}>
        {m.shell.save}
      </Button>
      <Button variant="default" onClick={close}>
        {m.shell.cancel}
      </Button>
    </Group>
  );
}

interface NameFormProps {
  onSubmit: (name: string) => Promise<void>;
  close: () => void;
}

function NameForm({ onSubmit, close }: NameFormProps) {
  const [name, setName] = useState('');
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') void run(() => onSubmit(name.trim()));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={texts.name}
          maxLength={MAX_NAME_CHARS}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SubmitError problem={problem} />
        <FormButtons busy={busy} isComplete={name.trim() !== ''} close={close} />
      </Stack>
    </form>
  );
}
