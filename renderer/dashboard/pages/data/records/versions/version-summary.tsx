import { RelativeTime } from '../../../../../shared/components/relative-time.tsx';
import { bytes } from '../../../../../shared/format/format.ts';
import classes from './versions.module.css';

interface VersionSummaryProps {
  name?: string;
  at: string;
  author: string;
  /** In bytes. */
  size?: number;
}

export function VersionSummary({ name, at, author, size }: VersionSummaryProps) {
  return (
    <span className={classes.summary}>
      <span>
        {name !== undefined && <strong>{`${name} `}</strong>}
        <RelativeTime at={at} />
      </span>
      <span className={classes.author}>
        <bdi>{author}</bdi>
        {size !== undefined && <span>{bytes(size)}</span>}
      </span>
    </span>
  );
}
