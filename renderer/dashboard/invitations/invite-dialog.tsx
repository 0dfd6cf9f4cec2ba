import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { MAX_INVITATION_DAYS } from '../../../server/wire/limits.ts';
import type { InvitationValidity, IssuedInvitation } from '../../shared/api/contract.ts';
import { Callout } from '../../shared/components/callout.tsx';
import { CopyableValue } from '../../shared/components/copyable-value.tsx';
import { m } from '../../shared/messages/texts.ts';
import { Dialog, type DialogState } from '../../shared/overlay/dialog.tsx';
import { DialogForm } from '../../shared/overlay/dialog-form.tsx';
import { contentOfTarget, type ShareTarget } from '../api/files/target-shares.ts';
import { createInvitation, createPasswordLink, renewInvitation } from '../api/account/invitations.ts';
import { useBaseUrl } from '../api/queries.ts';
import { endTime, fixedEnd, type End } from '../components/end-choice.ts';
import { EndField } from '../components/end-field.tsx';
import { CUSTOM_DAY } from '../consent/duration.ts';
import { EXPOSURE_PATH } from '../navigation.ts';
import { PlaceNotice } from '../share-targets/place-notice.tsx';
import { TextLink } from '../../shared/components/text-link.tsx';

const texts = m.invitations;

/** In days. */
const END_CHOICES = ['1', '7', '30'] as const;
type EndChoice = (typeof END_CHOICES)[number];
const DEFAULT_END: EndChoice = '7';

/** Returns undefined for a day that cannot be chosen. */
function validityOf(end: End<EndChoice>): InvitationValidity | undefined {
  if (end.choice !== CUSTOM_DAY) return { days: Number(end.choice) };
  const expires = endTime(end, new Date(), MAX_INVITATION_DAYS);
  return expires === undefined ? undefined : { expires };
}

interface LinkDialogProps extends DialogState {
  title: string;
  /** Undefined while the form is shown. */
  issuedLink: IssuedInvitation | undefined;
  children: ReactNode;
}

function LinkDialog({ opened, close, title, issuedLink, children }: LinkDialogProps) {
  return (
    <Dialog
      opened={opened}
      onClose={close}
      closeOnClickOutside={issuedLink === undefined}
      title={issuedLink === undefined ? title : texts.issued.title(issuedLink.invitation.name)}
      // The dialog can cover another dialog, and only one of them may contribute a banner landmark.
      attributes={{ header: { role: 'presentation' } }}
    >
      {issuedLink === undefined ? children : <IssuedLink issuedLink={issuedLink} close={close} />}
    </Dialog>
  );
}

/** Holds the issued link until the dialog closes. */
function useIssuedLink(close: () => void) {
  const [issuedLink, setIssuedLink] = useState<IssuedInvitation>();
  const finish = () => {
    close();
    setIssuedLink(undefined);
  };
  return { issuedLink, setIssuedLink, finish };
}

interface InvitationContent {
  fileIds?: string[];
  target?: ShareTarget;
}

function inviteTitle({ fileIds = [], target }: InvitationContent): string {
  if (target !== undefined) return texts.form.titleTargets[target.kind](target.name);
  return fileIds.length === 0 ? texts.invite : texts.inviteTo(fileIds.length);
}

export function InviteDialog({ opened, close, ...content }: DialogState & InvitationContent) {
  const { issuedLink, setIssuedLink, finish } = useIssuedLink(close);
  const title = inviteTitle(content);
  return (
    <LinkDialog opened={opened} close={finish} title={title} issuedLink={issuedLink}>
      <InviteForm {...content} close={finish} onIssued={setIssuedLink} />
    </LinkDialog>
  );
}

export function PasswordLinkDialog({ opened, close, user }: DialogState & { user: { userId: string; name: string } }) {
  const { issuedLink, setIssuedLink, finish } = useIssuedLink(close);
  const create = async (validity: InvitationValidity) => setIssuedLink(await createPasswordLink(user.userId, validity));
  return (
    <LinkDialog opened={opened} close={finish} title={texts.password.title(user.name)} issuedLink={issuedLink}>
      <LinkForm close={finish} onSubmit={create}>
        <Text>{texts.password.text}</Text>
      </LinkForm>
    </LinkDialog>
  );
}

export function RenewDialog({
  opened,
  close,
  invitation: { invitationId, name },
}: DialogState & { invitation: { invitationId: string; name: string } }) {
  const { issuedLink, setIssuedLink, finish } = useIssuedLink(close);
  const renew = async (validity: InvitationValidity) => setIssuedLink(await renewInvitation(invitationId, validity));
  return (
    <LinkDialog opened={opened} close={finish} title={texts.renewLabel(name)} issuedLink={issuedLink}>
      <LinkForm close={finish} onSubmit={renew} />
    </LinkDialog>
  );
}

/** Asks for the validity of a link. @param validate validates the form's other fields on submit */
function LinkForm({
  close,
  onSubmit,
  children,
  validate,
}: {
  close: () => void;
  onSubmit: (validity: InvitationValidity) => Promise<void>;
  children?: ReactNode;
  validate?: () => boolean;
}) {
  const [end, setEnd] = useState(() => fixedEnd<EndChoice>(DEFAULT_END));
  const check = () => validate?.() !== false && validityOf(end) !== undefined;
  const send = async () => {
    const validity = validityOf(end);
    if (validity !== undefined) await onSubmit(validity);
  };
  return (
    <DialogForm submitLabel={texts.form.submit} close={close} check={check} send={send}>
      {children}
      <EndField
        label={texts.form.end}
        value={end}
        choices={END_CHOICES.map((value) => ({ value, label: texts.form.endChoices[value] }))}
        change={setEnd}
        maxDays={MAX_INVITATION_DAYS}
      />
    </DialogForm>
  );
}

function InviteForm({
  fileIds,
  target,
  close,
  onIssued,
}: InvitationContent & {
  close: () => void;
  onIssued: (issuedLink: IssuedInvitation) => void;
}) {
  const targetContent = target === undefined ? undefined : contentOfTarget(target);
  const [name, setName] = useState('');
  const [isNameMissing, setNameMissing] = useState(false);
  return (
    <LinkForm
      close={close}
      validate={() => {
        setNameMissing(name.trim() === '');
        return name.trim() !== '';
      }}
      onSubmit={async (validity) =>
        onIssued(await createInvitation({ name: name.trim(), fileIds: fileIds ?? [], ...validity, ...targetContent }))
      }
    >
      <Text>{texts.form.text}</Text>
      {target !== undefined && <Text>{m.targetShares[target.kind].text}</Text>}
      {targetContent !== undefined && <PlaceNotice content={targetContent} />}
      {fileIds !== undefined && fileIds.length > 0 && <PlaceNotice content={{ fileIds }} />}
      <TextInput
        label={texts.form.name}
        description={texts.form.nameHint}
        value={name}
        error={isNameMissing ? m.shell.nameMissing : undefined}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </LinkForm>
  );
}

function IssuedLink({ issuedLink: { invitation, path }, close }: { issuedLink: IssuedInvitation; close: () => void }) {
  const { baseUrl, isPublic } = useBaseUrl();
  return (
    <Stack gap="md">
      <Text>
        {invitation.kind === 'password' ? texts.password.issued(invitation.name) : texts.issued.text(invitation.name)}
      </Text>
      <CopyableValue value={`${baseUrl}${path}`} label={m.files.share.copyLink} />
      <Text c="dimmed">{texts.issued.notAgain}</Text>
      {!isPublic && (
        <Callout tone="attention" action={<TextLink to={EXPOSURE_PATH}>{m.shareLinks.setAddress}</TextLink>}>
          {m.files.share.onlyHere}
        </Callout>
      )}
      <Group justify="flex-end">
        <Button onClick={close} autoFocus>
          {m.shell.done}
        </Button>
      </Group>
    </Stack>
  );
}
