import { Button, FileButton } from '@mantine/core';
import { IconPackageImport } from '@tabler/icons-react';
import { DropSheet } from '../../components/drop-sheet.tsx';
import { useDroppedFiles } from '../../components/use-drop.ts';
import { m } from '../../messages/texts.ts';
import { useInstall } from './use-install.ts';

const words = m.functions.install;

const ACCEPT = '.zip,application/zip';

/** Chosen, or dropped anywhere on the page. */
export function InstallButton() {
  const install = useInstall();
  const over = useDroppedFiles((files) => void install(files));
  return (
    <>
      {over && <DropSheet icon={IconPackageImport} title={words.drop} hint={words.dropHint} />}
      <FileButton
        accept={ACCEPT}
        inputProps={{ 'aria-label': words.button }}
        onChange={(file) => file !== null && void install([file])}
      >
        {(props) => (
          <Button {...props} leftSection={<IconPackageImport size={16} stroke={1.6} />}>
            {words.button}
          </Button>
        )}
      </FileButton>
    </>
  );
}
