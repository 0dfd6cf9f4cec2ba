import { Button, Menu } from '@mantine/core';
import { IconChartTreemap, IconFolderUp, IconProgress, IconTrash, IconUpload } from '@tabler/icons-react';
import { type RefObject, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { OverflowMenu } from '../../../../shared/components/overflow-menu.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { toLocalFiles } from './destination.ts';
import classes from './upload-buttons.module.css';
import { useUpload } from './use-upload.tsx';

const texts = m.files;
const ICON_PROPS = { size: 16, stroke: 1.6 } as const;

export function UploadButtons() {
  const { upload } = useUpload();
  const filesInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Makes the input select a folder with all its files. React's types lack the attribute.
    if (folderInput.current !== null) folderInput.current.webkitdirectory = true;
  }, []);
  const uploadSelected = (input: HTMLInputElement) => {
    upload(toLocalFiles(input.files ?? []));
    input.value = '';
  };
  return (
    <>
      <FileInput ref={filesInput} kind="files" onSelect={uploadSelected} />
      <FileInput ref={folderInput} kind="folder" onSelect={uploadSelected} />
      <Button leftSection={<IconUpload {...ICON_PROPS} />} onClick={() => filesInput.current?.click()}>
        {texts.upload}
      </Button>
      <Button
        className={classes.folder ?? ''}
        variant="default"
        leftSection={<IconFolderUp {...ICON_PROPS} />}
        onClick={() => folderInput.current?.click()}
      >
        {texts.uploadFolder}
      </Button>
      <OverflowMenu label={m.shell.moreActions}>
        <Menu.Item
          className={classes.folderItem ?? ''}
          leftSection={<IconFolderUp {...ICON_PROPS} />}
          onClick={() => folderInput.current?.click()}
        >
          {texts.uploadFolder}
        </Menu.Item>
        <Menu.Item component={Link} to="/files/uploads" leftSection={<IconProgress {...ICON_PROPS} />}>
          {texts.uploading.title}
        </Menu.Item>
        <Menu.Item component={Link} to="/files/space" leftSection={<IconChartTreemap {...ICON_PROPS} />}>
          {m.files.space.title}
        </Menu.Item>
        <Menu.Item component={Link} to="/files/deleted" leftSection={<IconTrash {...ICON_PROPS} />}>
          {texts.deletion.list.title}
        </Menu.Item>
      </OverflowMenu>
    </>
  );
}

interface FileInputProps {
  ref: RefObject<HTMLInputElement | null>;
  kind: 'files' | 'folder';
  onSelect: (input: HTMLInputElement) => void;
}

function FileInput({ ref, kind, onSelect }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      data-choose={kind}
      onChange={(event) => onSelect(event.currentTarget)}
    />
  );
}
