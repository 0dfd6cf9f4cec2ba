import { FileButton, type FileButtonProps } from '@mantine/core';
import { useRef } from 'react';

interface RepeatableFileButtonProps extends Pick<FileButtonProps, 'accept' | 'children' | 'inputProps'> {
  onChoose: (file: File) => void;
}

/**
 * Opens the file dialog of the browser. Reports each choice, even if the same file is chosen again, such as a corrected
 * package: the input is cleared after each choice, because browsers report only changes of the input.
 */
export function RepeatableFileButton({ onChoose, ...props }: RepeatableFileButtonProps) {
  const resetInput = useRef<() => void>(null);
  return (
    <FileButton
      {...props}
      resetRef={resetInput}
      onChange={(file) => {
        resetInput.current?.();
        if (file !== null) onChoose(file);
      }}
    />
  );
}
