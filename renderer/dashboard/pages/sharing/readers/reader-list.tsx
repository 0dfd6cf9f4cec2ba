import { Button } from '@mantine/core';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { toSentenceCase } from '../../../../shared/components/display-names.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { applicationPath, functionPath, guestPreviewPath, linkPreviewPath } from '../../../navigation.ts';
import { StopApplicationDialog } from '../../applications/stop-dialog.tsx';
import { LeaveDialog } from '../../contracts/leave-dialog.tsx';
import { ConsentRow } from '../consent-row.tsx';
import classes from '../sharing-page.module.css';
import { endAccess } from './end-access.ts';
import type { Reader, StopConfirmation } from './reader.ts';
import { ReaderPicture } from './reader-picture.tsx';
import { TextLink } from '../../../../shared/components/text-link.tsx';
import type { DialogState } from '../../../../shared/overlay/dialog.tsx';

const texts = m.sharing;

/** Reader whose access ends only after a confirmation. Consents end without one. */
type NonConsentReader = Exclude<Reader, { kind: 'consent' }>;

interface ReaderListProps {
  readers: readonly Reader[];
  now: Date;
  /** Receives focus when the focused reader is removed. */
  heading: RefObject<HTMLHeadingElement | null>;
}

export function ReaderList({ readers, now, heading }: ReaderListProps) {
  // Key of the reader whose stop dialog was opened last.
  const stopDialogKey = useRef<string>(undefined);
  useEffect(() => {
    if (stopDialogKey.current === undefined || readers.some(({ key }) => key === stopDialogKey.current)) return;
    stopDialogKey.current = undefined;
    if (document.activeElement === document.body) heading.current?.focus();
  }, [readers, heading]);
  return (
    <ul className={classes.list}>
      {readers.map((reader) =>
        reader.kind === 'consent' ? (
          <ConsentRow key={reader.key} item={reader.item} now={now} showKind />
        ) : (
          <ReaderRow
            key={reader.key}
            reader={reader}
            onDialogOpen={() => {
              stopDialogKey.current = reader.key;
            }}
          />
        ),
      )}
    </ul>
  );
}

function ReaderRow({ reader, onDialogOpen }: { reader: NonConsentReader; onDialogOpen: () => void }) {
  const { name, sentence, endText, to } = reader;
  const [opened, setOpened] = useState(false);
  const shownName = isolateText(name);
  return (
    <li className={classes.row} data-compact>
      <ReaderPicture reader={reader} size={36} />
      <div className={classes.text}>
        <div className={classes.heading}>
          <Link to={to} className={classes.name ?? ''} data-standalone data-list-item>
            <UntrustedText>{name}</UntrustedText>
          </Link>
          <small className={classes.kind}>{texts.kinds[reader.kind]}</small>
        </div>
        <span>{sentence}</span>
        <ViewLink reader={reader} />
        <span className={classes.secondaryText}>{toSentenceCase(endText)}</span>
      </div>
      <Button
        variant="default"
        size="xs"
        c="var(--stop)"
        className={classes.stopButton ?? ''}
        aria-label={'stop' in reader ? reader.stop.label : texts.readers.stopLabel(shownName)}
        onClick={() => {
          onDialogOpen();
          setOpened(true);
        }}
      >
        {'stop' in reader ? m.shell.stop : texts.readers.stop}
      </Button>
      <StopDialog reader={reader} opened={opened} close={() => setOpened(false)} />
    </li>
  );
}

interface ReaderViewLink {
  to: string;
  viewTexts: { view: string; viewLabel: (name: string) => string };
  opensInNewTab: boolean;
}

function viewLinkOf(reader: NonConsentReader): ReaderViewLink | undefined {
  const { readers: dataTexts, guestPreview, linkPreview } = texts;
  switch (reader.kind) {
    case 'application':
      return {
        to: applicationPath(reader.application.item.application.id, 'view'),
        viewTexts: dataTexts,
        opensInNewTab: false,
      };
    case 'contract':
      return { to: applicationPath(reader.contract.application, 'view'), viewTexts: dataTexts, opensInNewTab: false };
    case 'function':
      return { to: functionPath(reader.functionId, 'dry-run'), viewTexts: dataTexts, opensInNewTab: false };
    case 'person':
    case 'table':
    case 'chart':
      return { to: guestPreviewPath(reader.userId), viewTexts: guestPreview, opensInNewTab: true };
    case 'link':
      return { to: linkPreviewPath(reader.linkId), viewTexts: linkPreview, opensInNewTab: true };
    case 'public':
      return undefined;
  }
}

function ViewLink({ reader }: { reader: NonConsentReader }) {
  const link = viewLinkOf(reader);
  if (link === undefined) return null;
  const { to, viewTexts, opensInNewTab } = link;
  return (
    <TextLink
      to={to}
      // With `opener`, the new tab gets a copy of this tab's session storage, which can contain the session.
      {...(opensInNewTab ? { target: '_blank', rel: 'opener' } : {})}
      w="fit-content"
      aria-label={viewTexts.viewLabel(isolateText(reader.name))}
    >
      {viewTexts.view}
    </TextLink>
  );
}

/** Stays mounted while closed, so that focus returns to its button. */
function StopDialog({ reader, ...state }: DialogState & { reader: NonConsentReader }) {
  if (reader.kind === 'application') return <StopApplicationDialog application={reader.application} {...state} />;
  if (reader.kind === 'contract') return <LeaveDialog contract={reader.contract} {...state} />;
  return <ConfirmStopDialog stop={reader.stop} {...state} />;
}

function ConfirmStopDialog({ stop, opened, close }: DialogState & { stop: StopConfirmation }) {
  const { title, keep, submit, text } = stop;
  const confirm = async () => {
    await endAccess(stop.access);
    showToast(stop.done);
  };
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={title}
      cancelLabel={keep}
      confirmLabel={submit}
      onConfirm={confirm}
    >
      {text}
    </ConfirmDialog>
  );
}
