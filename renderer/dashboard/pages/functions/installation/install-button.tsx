import { Button } from '@mantine/core';
import { IconPackageImport } from '@tabler/icons-react';
import { DropOverlay } from '../../../../shared/overlay/drop-overlay.tsx';
import { RepeatableFileButton } from '../../../../shared/form/repeatable-file-button.tsx';
import { useFileDrop } from '../../../../shared/form/use-file-drop.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { useInstall } from './use-install.ts';

const texts = m.functions.install;

const PACKAGE_FILE_TYPES = '.zip,application/zip';

/** Button that lets the owner choose a package, and installs it. A package can also be dropped anywhere on the page. */
export function InstallButton() {
  const install = useInstall();
  const isDragging = useFileDrop((files) => void install(files));
  return (
    <>
      {isDragging && <DropOverlay icon={IconPackageImport} title={texts.drop} hint={texts.dropHint} />}
      <RepeatableFileButton
        accept={PACKAGE_FILE_TYPES}
        inputProps={{ 'aria-label': texts.button }}
        onChoose={(file) => void install([file])}
      >
        {(props) => (
          <Button {...props} leftSection={<IconPackageImport size={16} stroke={1.6} />}>
            {texts.button}
          </Button>
        )}
      </RepeatableFileButton>
    </>
  );
}
