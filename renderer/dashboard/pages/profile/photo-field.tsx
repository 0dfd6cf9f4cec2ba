import { Button, Group, Text } from '@mantine/core';
import { IconUserCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { type OwnerProfile, uploadPhoto, removePhoto } from '../../api/account/profile.ts';
import { RepeatableFileButton } from '../../../shared/form/repeatable-file-button.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './profile.module.css';
import { cropToSquare } from './square-image.ts';
import { useRepeatableSubmit } from '../../../shared/feedback/use-submit.ts';

const texts = m.profile.photo;

export function PhotoField({ photo }: { photo: OwnerProfile['photo'] }) {
  const { busy, problem, run } = useRepeatableSubmit();
  const [isUnreadable, setIsUnreadable] = useState(false);
  const runAction = (action: () => Promise<unknown>) => {
    setIsUnreadable(false);
    return run(action);
  };
  const upload = (file: File) => {
    void runAction(async () => {
      const square = await cropToSquare(file);
      if (square === undefined) setIsUnreadable(true);
      else await uploadPhoto(square);
    });
  };
  return (
    <div className={classes.photo}>
      {photo === null ? (
        <IconUserCircle size={80} stroke={1} aria-hidden="true" />
      ) : (
        <img key={photo.fileId} src={photo.contentUrl} alt={texts.alt} width={80} height={80} />
      )}
      <div>
        <Text fw={500}>{m.profile.fields.photo}</Text>
        <Text c="dimmed">{texts.hint}</Text>
        <Group gap="sm" mt="xs">
          <RepeatableFileButton accept="image/*" onChoose={upload} inputProps={{ 'aria-label': texts.choose }}>
            {(props) => (
              <Button {...props} variant="default" size="xs" loading={busy}>
                {photo === null ? texts.choose : texts.replace}
              </Button>
            )}
          </RepeatableFileButton>
          {photo !== null && (
            <Button variant="subtle" color="gray" size="xs" disabled={busy} onClick={() => void runAction(removePhoto)}>
              {m.shell.remove}
            </Button>
          )}
        </Group>
        {isUnreadable && (
          <Text c="red" role="alert" mt="xs">
            {texts.unreadable}
          </Text>
        )}
        <SubmitError problem={problem} />
      </div>
    </div>
  );
}
