import { CopyIcon } from './states.tsx';
import classes from './copied.module.css';

/** A value that is wanted elsewhere, to the letter. */
export function Copied({ value, label }: { value: string; label: string }) {
  return (
    <span className={classes.copied}>
      <code>{value}</code>
      <CopyIcon value={value} label={label} />
    </span>
  );
}
