import { IconFolderShare, IconStack2 } from '@tabler/icons-react';
import type { ShareTarget } from '../api/files/target-shares.ts';

interface TargetIconProps {
  target: ShareTarget;
  /** Width and height in pixels. */
  size: number;
}

export function TargetIcon({ target: { kind }, size }: TargetIconProps) {
  const KindIcon = kind === 'folder' ? IconFolderShare : IconStack2;
  return <KindIcon size={size} stroke={1.5} aria-hidden="true" />;
}
