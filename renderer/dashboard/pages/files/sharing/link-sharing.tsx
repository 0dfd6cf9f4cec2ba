import { Button, Radio, Stack, Text } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { useBaseUrl } from '../../../api/queries.ts';
import { createShareLink, shareLinks, type LinkSettings } from '../../../api/files/share-links.ts';
import { LinkForm } from '../../../share-links/link-form.tsx';
import { ShareLinkList } from '../../../share-links/share-link-list.tsx';
import { PlaceNotice } from '../../../share-targets/place-notice.tsx';
import { titleOf } from '../file-kinds.ts';
import { opensFile } from './active-links.ts';

const texts = m.shareLinks;

/** Returns undefined for a file without a path or in the top folder. */
const folderOf = (path: string | null): string | undefined =>
  path?.includes('/') === true ? path.slice(0, path.lastIndexOf('/')) : undefined;

export function LinkSharing({ file }: { file: OwnerFile }) {
  const query = useQuery(shareLinks);
  const { isPublic } = useBaseUrl();
  const [isCreating, setCreating] = useState(false);
  if (query.data === undefined) return <QueryBoundary query={query} rows={2} />;
  const links = query.data.filter((link) => opensFile(link, file));
  return (
    <Stack gap="sm">
      <Text c="dimmed">{texts.create.text}</Text>
      <QueryBoundary query={query} />
      {links.length > 0 && <ShareLinkList links={links} />}
      {links.length > 0 && !isPublic && <Text c="dimmed">{texts.onlyHere}</Text>}
      {isCreating ? (
        <NewLink file={file} close={() => setCreating(false)} />
      ) : (
        <Button
          variant={links.length === 0 ? 'filled' : 'default'}
          w="fit-content"
          leftSection={<IconLink size={16} stroke={1.6} />}
          onClick={() => setCreating(true)}
        >
          {texts.create.start}
        </Button>
      )}
    </Stack>
  );
}

function NewLink({ file, close }: { file: OwnerFile; close: () => void }) {
  const folder = folderOf(file.path);
  const [isWholeFolder, setWholeFolder] = useState(false);
  const create = async (settings: LinkSettings) => {
    const content = isWholeFolder && folder !== undefined ? { folder } : { fileIds: [file.file.fileId] };
    await createShareLink(content, settings);
    showToast(texts.create.done);
    close();
  };
  return (
    <Stack gap="md">
      {folder !== undefined && (
        <Radio.Group
          label={texts.form.what}
          value={isWholeFolder ? 'folder' : 'file'}
          onChange={(value) => setWholeFolder(value === 'folder')}
        >
          <Stack gap="sm" mt="xs">
            <Radio value="file" label={texts.form.oneFile(titleOf(file))} />
            <Radio value="folder" label={texts.folder(folder)} />
          </Stack>
        </Radio.Group>
      )}
      {isWholeFolder && folder !== undefined && <PlaceNotice content={{ folder }} />}
      <LinkForm
        key={isWholeFolder ? 'folder' : 'file'}
        defaultName={isWholeFolder ? (folder ?? '') : titleOf(file)}
        submitLabel={texts.create.submit}
        onSubmit={create}
        close={close}
      />
    </Stack>
  );
}
