import { CopyIconButton } from '../feedback/states.tsx';
import classes from './copyable-value.module.css';

/** Code with a button that copies it. */
export function CopyableValue({ value, label }: { value: string; label: string }) {
  return (
    <span className={classes.copyable}>
      <code>{value}</code>
      <CopyIconButton value={value} label={label} />
    </span>
  );
}
