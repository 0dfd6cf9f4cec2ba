import { Text, TextInput } from '@mantine/core';
import { IconFolderSymlink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { QueryBoundary, combineQueries } from '../../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { DialogForm } from '../../../../shared/overlay/dialog-form.tsx';
import { shareLinks } from '../../../api/files/share-links.ts';
import { folderTarget, targetShares } from '../../../api/files/target-shares.ts';
import { BulkButton } from '../../../components/bulk-button.tsx';
import { moveToFolder, tooManyFilesText } from './actions.tsx';
import { affectedReaders } from './affected-readers.ts';
import { FolderPicker } from './folder-picker.tsx';

const texts = m.bulkFiles.move;

interface MoveProps {
  files: readonly OwnerFile[];
  /** Initial folder; empty for the top folder. */
  folder: string;
  onDone: () => void;
}

export function MoveSelected({ files, folder, onDone }: MoveProps) {
  return (
    <BulkButton
      icon={IconFolderSymlink}
      label={texts.button}
      title={texts.title(files.length)}
      disabledReason={tooManyFilesText(files.length)}
    >
      {(close) => <MoveForm files={files} folder={folder} onDone={onDone} close={close} />}
    </BulkButton>
  );
}

function MoveForm({ files, folder: initialFolder, onDone, close }: MoveProps & { close: () => void }) {
  const [folder, setFolder] = useState(initialFolder);
  const [newName, setNewName] = useState('');
  const name = newName.trim();
  const isNameInvalid = name.includes('/');
  const parent = folder === '' ? '' : `${folder}/`;
  const target = name === '' ? folder : `${parent}${name}`;
  const prefix = target === '' ? '' : `${target}/`;
  const isUnchanged = files.every(({ file, path }) => path === `${prefix}${path?.split('/').at(-1) ?? file.name}`);
  const move = async () => {
    await moveToFolder(
      files.map(({ file }) => file.fileId),
      target,
    );
    close();
    onDone();
  };
  return (
    <DialogForm
      submitLabel={target === '' ? texts.submitTop : texts.submit(folderTarget(target).name)}
      disabled={isUnchanged || isNameInvalid}
      close={close}
      send={move}
    >
      <Text c="dimmed">{texts.text}</Text>
      <FolderPicker folder={folder} open={setFolder} />
      <TextInput
        label={texts.newFolder}
        description={texts.newFolderHint}
        value={newName}
        error={isNameInvalid ? texts.invalidName : undefined}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => setNewName(value)}
      />
      <SharingChange files={files} target={target} />
    </DialogForm>
  );
}

function SharingChange({ files, target }: { files: readonly OwnerFile[]; target: string }) {
  const shares = useQuery(targetShares);
  const links = useQuery(shareLinks);
  const query = combineQueries(shares, links);
  if (query.isPending || query.isError) return <QueryBoundary query={query} rows={1} />;
  const folders = (shares.data ?? []).flatMap(({ target: { kind, id }, userId, name }) =>
    kind === 'folder' ? [{ folder: id, userId, name }] : [],
  );
  const readers = affectedReaders(files, target, { folders, links: links.data ?? [] });
  const sentences = (
    [
      [readers.peopleIn, texts.opensTo],
      [readers.linksIn, texts.opensLinks],
      [readers.peopleOut, texts.closesTo],
      [readers.linksOut, texts.closesLinks],
    ] as const
  ).flatMap(([names, sentence]) => (names.length === 0 ? [] : [sentence(names.map(isolateText))]));
  if (sentences.length === 0) return null;
  return (
    <Callout tone="attention" urgent>
      {sentences.map((sentence) => (
        <div key={sentence}>{sentence}</div>
      ))}
    </Callout>
  );
}
