import { Button, FileButton } from '@mantine/core';
import { IconPackageImport } from '@tabler/icons-react';
import { useRef } from 'react';
import { DropOverlay } from '../../../../shared/overlay/drop-overlay.tsx';
import { useFileDrop } from '../../../../shared/form/use-file-drop.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { useInstall } from './use-install.ts';

const texts = m.functions.install;

const PACKAGE_FILE_TYPES = '.zip,application/zip';

/** Installs a selected package. Packages can also be dropped anywhere on the page. */
export function InstallButton() {
  const install = useInstall();
  // Cleared after each choice. Otherwise browsers do not report that the same file, such as a corrected package, was
  // chosen again.
  const resetInput = useRef<() => void>(null);
  const isDragging = useFileDrop((files) => void install(files));
  return (
    <>
      {isDragging && <DropOverlay icon={IconPackageImport} title={texts.drop} hint={texts.dropHint} />}
      <FileButton
        accept={PACKAGE_FILE_TYPES}
        inputProps={{ 'aria-label': texts.button }}
        resetRef={resetInput}
        onChange={(file) => {
          resetInput.current?.();
          if (file !== null) void install([file]);
        }}
      >
        {(props) => (
          <Button {...props} leftSection={<IconPackageImport size={16} stroke={1.6} />}>
            {texts.button}
          </Button>
        )}
      </FileButton>
    </>
  );
}
