import { Button, Menu } from '@mantine/core';
import { IconChartTreemap, IconFolderUp, IconProgress, IconTrash, IconUpload } from '@tabler/icons-react';
import { type RefObject, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { OverflowMenu } from '../../../../shared/components/overflow-menu.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { fromChooser } from './destination.ts';
import classes from './upload-buttons.module.css';
import { useUpload } from './use-upload.tsx';

const words = m.files;
const ICON = { size: 16, stroke: 1.6 } as const;

/** The ways in without a mouse, and to everything else about files. */
export function UploadButtons() {
  const { upload } = useUpload();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Folders with all that is in them; the attribute is none that React knows.
    if (folder.current !== null) folder.current.webkitdirectory = true;
  }, []);
  const take = (input: HTMLInputElement) => {
    upload(fromChooser(input.files ?? []));
    input.value = '';
  };
  return (
    <>
      <Chooser ref={files} what="files" take={take} />
      <Chooser ref={folder} what="folder" take={take} />
      <Button leftSection={<IconUpload {...ICON} />} onClick={() => files.current?.click()}>
        {words.upload}
      </Button>
      <Button
        className={classes.folder ?? ''}
        variant="default"
        leftSection={<IconFolderUp {...ICON} />}
        onClick={() => folder.current?.click()}
      >
        {words.uploadFolder}
      </Button>
      <OverflowMenu label={words.actions}>
        <Menu.Item
          className={classes.folderItem ?? ''}
          leftSection={<IconFolderUp {...ICON} />}
          onClick={() => folder.current?.click()}
        >
          {words.uploadFolder}
        </Menu.Item>
        <Menu.Item component={Link} to="/files/uploads" leftSection={<IconProgress {...ICON} />}>
          {words.uploads}
        </Menu.Item>
        <Menu.Item component={Link} to="/files/space" leftSection={<IconChartTreemap {...ICON} />}>
          {words.storage}
        </Menu.Item>
        <Menu.Item component={Link} to="/files/deleted" leftSection={<IconTrash {...ICON} />}>
          {words.recentlyDeleted}
        </Menu.Item>
      </OverflowMenu>
    </>
  );
}

interface ChooserProps {
  ref: RefObject<HTMLInputElement | null>;
  what: 'files' | 'folder';
  take: (input: HTMLInputElement) => void;
}

/** Opens the system's own dialog when it is clicked, which the buttons do. */
function Chooser({ ref, what, take }: ChooserProps) {
  return (
    <input ref={ref} type="file" multiple hidden data-choose={what} onChange={(event) => take(event.currentTarget)} />
  );
}
