import { CopyIconButton } from '../feedback/states.tsx';
import classes from './copyable-value.module.css';

export function CopyableValue({ value, label }: { value: string; label: string }) {
  return (
    <span className={classes.copyableValue}>
      <code>{value}</code>
      <CopyIconButton value={value} label={label} />
    </span>
  );
}
