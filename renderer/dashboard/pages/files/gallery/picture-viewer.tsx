import { ActionIcon, Box, Modal, Tooltip } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { type Icon, IconChevronLeft, IconChevronRight, IconInfoCircle, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { ItemLoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { wallClockTime } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { useTopLayer } from '../../../../shared/overlay/use-top-layer.ts';
import { ownerFile } from '../../../api/files/queries.ts';
import { noPreviewText } from '../detail/preview.tsx';
import { titleOf } from '../file-kinds.ts';
import { useContent } from '../list/use-content.ts';
import classes from './picture-viewer.module.css';

const texts = m.files.viewer;

interface PictureViewerProps {
  /** Null if the viewer is closed. */
  id: string | null;
  /** The open picture. It and its neighbours are undefined if they do not exist or are not loaded. */
  item: OwnerFile | undefined;
  previous: OwnerFile | undefined;
  next: OwnerFile | undefined;
  /** Shows the previous (-1) or next (1) picture, if there is one. */
  step: (direction: -1 | 1) => void;
  openDetails: (fileId: string) => void;
  close: () => void;
}

export function PictureViewer({ id, ...props }: PictureViewerProps) {
  const { step, close } = props;
  const isOnTop = useTopLayer(id !== null);
  // Listens on the window, so that the keys work wherever the focus is.
  useWindowEvent('keydown', (event) => {
    if (id === null || !isOnTop() || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'ArrowLeft') step(-1);
    if (event.key === 'ArrowRight') step(1);
  });
  return (
    <Modal.Root
      opened={id !== null}
      onClose={() => {
        if (isOnTop()) close();
      }}
      fullScreen
      transitionProps={{ duration: 120 }}
    >
      <Modal.Content aria-label={texts.title} radius={0}>
        <Modal.Body className={classes.viewer ?? ''}>{id !== null && <Viewer id={id} {...props} />}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Viewer({ id, item, previous, next, step, openDetails, close }: PictureViewerProps & { id: string }) {
  const query = useQuery({ ...ownerFile(id), enabled: item === undefined });
  const file = item ?? query.data;
  const takenAt = file?.picture?.taken;
  return (
    <>
      <header className={classes.header}>
        <Box flex={1} miw={0}>
          <h2 className={classes.name}>{file !== undefined && <UntrustedText>{titleOf(file)}</UntrustedText>}</h2>
          <p className={classes.secondaryText}>
            {file !== undefined && (takenAt == null ? m.files.list.noDateTaken : wallClockTime(takenAt.local))}
          </p>
        </Box>
        <ViewerButton label={m.files.file.details} icon={IconInfoCircle} onClick={() => openDetails(id)} />
        <ViewerButton label={m.shell.close} icon={IconX} onClick={close} />
      </header>
      <div className={classes.stage} tabIndex={-1} data-autofocus>
        {file !== undefined && <Content key={`${file.file.fileId} ${file.sha256 ?? ''}`} file={file} />}
        {file === undefined && query.isError && (
          <ItemLoadError error={query.error} retry={() => void query.refetch()} texts={m.files.file} />
        )}
        {file === undefined && !query.isError && <LoadingSkeleton rows={6} />}
      </div>
      <div className={classes.navigation}>
        <ViewerButton
          label={texts.previous}
          icon={IconChevronLeft}
          onClick={() => step(-1)}
          disabled={previous === undefined}
        />
        <ViewerButton
          label={texts.next}
          icon={IconChevronRight}
          onClick={() => step(1)}
          disabled={next === undefined}
        />
      </div>
    </>
  );
}

function Content({ file }: { file: OwnerFile }) {
  const { src, onError } = useContent(file);
  if (file.deleted !== null) return <p className={classes.secondaryText}>{m.files.file.deleted}</p>;
  if (!file.inline) return <p className={classes.secondaryText}>{noPreviewText(file)}</p>;
  if (src === undefined) return <p className={classes.secondaryText}>{m.files.preview.brokenText}</p>;
  return <img src={src} alt={titleOf(file)} draggable={false} onError={onError} />;
}

interface ViewerButtonProps {
  label: string;
  icon: Icon;
  onClick: () => void;
  /** Shown as disabled but still focusable, so that the focus is not lost at the first and last picture. */
  disabled?: boolean;
}

function ViewerButton({ label, icon: ButtonIcon, onClick, disabled = false }: ViewerButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="var(--ink-soft)"
        size={44}
        aria-label={label}
        aria-disabled={disabled}
        data-disabled={disabled}
        onClick={onClick}
      >
        <ButtonIcon size={22} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
