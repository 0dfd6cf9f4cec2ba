import { Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { isolateText } from '../../../server/wire/isolation.ts';
import { MAX_SHARED_VIEW_NAME_CHARS } from '../../../server/wire/limits.ts';
import type { SharedView } from '../../shared/api/contract.ts';
import { TextLink } from '../../shared/components/text-link.tsx';
import { SubmitError } from '../../shared/feedback/states.tsx';
import { showToast } from '../../shared/feedback/toasts.tsx';
import { useSubmit } from '../../shared/feedback/use-submit.ts';
import { m } from '../../shared/messages/texts.ts';
import { shareView } from '../api/shared-views.ts';
import { endTime, fixedEnd } from '../components/end-choice.ts';
import { EndField } from '../components/end-field.tsx';
import { PEOPLE_PATH } from '../navigation.ts';
import type { ShareableView } from './share-view-dialog.tsx';
import classes from './shared-views.module.css';

const texts = m.sharedViews;

/** Days until the share ends, or `never`. */
const END_CHOICES = ['never', '1', '7', '30', '365'] as const;
type EndChoice = (typeof END_CHOICES)[number];

interface ShareViewFormProps {
  view: ShareableView;
  /** Tables or charts of the endpoint that are already shared. */
  shares: readonly SharedView[];
  people: readonly { userId: string; name: string; enabled: boolean }[];
  /** Must replace the form, which stays busy. */
  onShared: () => void;
}

export function ShareViewForm({ view, shares, people, onShared }: ShareViewFormProps) {
  const [userId, setUserId] = useState('');
  const [name, setName] = useState(view.name);
  const [end, setEnd] = useState(() => fixedEnd<EndChoice>('never'));
  const { busy, problem, run } = useSubmit();
  // Disabled users are not offered, because they cannot sign in.
  const choices = people.filter(({ enabled }) => enabled);
  if (choices.length === 0) {
    return (
      <Text>
        {texts.noPeople}{' '}
        <TextLink to={PEOPLE_PATH} underline="always">
          {m.targetShares.inviteSomeone}
        </TextLink>
      </Text>
    );
  }
  const selectedUser = choices.find((user) => user.userId === userId);
  const replacesShare = shares.some((existing) => existing.userId === userId && existing.name === name.trim());
  const share = (event: FormEvent) => {
    event.preventDefault();
    const ends = end.choice === 'never' ? null : endTime(end, new Date());
    if (selectedUser === undefined || name.trim() === '' || ends === undefined) return;
    const { endpoint, definition } = view;
    void run(async () => {
      const sharedView = await shareView({ endpoint, name: name.trim(), userId, definition, ends });
      showToast(texts.shared(isolateText(sharedView.userName), isolateText(sharedView.name)));
      onShared();
    });
  };
  return (
    <form onSubmit={share} noValidate>
      <Stack gap="sm">
        <NativeSelect
          label={m.files.share.choose}
          value={selectedUser === undefined ? '' : userId}
          data={[
            { value: '', label: m.files.share.chooseNone },
            ...choices.map((user) => ({ value: user.userId, label: user.name })),
          ]}
          onChange={({ currentTarget: { value } }) => setUserId(value)}
        />
        <TextInput
          label={texts.name}
          description={
            replacesShare && selectedUser !== undefined
              ? texts.replaces(isolateText(selectedUser.name))
              : texts.nameHint
          }
          maxLength={MAX_SHARED_VIEW_NAME_CHARS}
          value={name}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <EndField
          label={m.shareLinks.form.end}
          value={end}
          choices={END_CHOICES.map((value) => ({ value, label: texts.endChoices[value] }))}
          change={setEnd}
        />
        <SubmitError problem={problem} />
        <Button
          type="submit"
          className={classes.submitButton ?? ''}
          leftSection={<IconUserPlus size={16} stroke={1.6} />}
          disabled={selectedUser === undefined || name.trim() === ''}
          loading={busy}
        >
          {selectedUser === undefined ? m.sharedViews.share : m.targetShares.submitFor(isolateText(selectedUser.name))}
        </Button>
      </Stack>
    </form>
  );
}
