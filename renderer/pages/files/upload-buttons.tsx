import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconChartTreemap, IconDots, IconFolderUp, IconProgress, IconTrash, IconUpload } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { m } from '../../messages/en.ts';
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
      <input
        ref={files}
        type="file"
        multiple
        hidden
        data-choose="files"
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        data-choose="folder"
        onChange={(event) => take(event.currentTarget)}
      />
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
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={words.actions}>
            <IconDots size={18} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
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
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
