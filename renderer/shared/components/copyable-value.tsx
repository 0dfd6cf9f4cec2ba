import { CopyIconButton } from '../feedback/states.tsx';
import classes from './copyable-value.module.css';

export function CopyableValue({ value, label }: { value: string; label: string }) {
  return (
    <span className={classes.copyable}>
      <code>{value}</code>
      <CopyIconButton value={value} label={label} />
    </span>
  );
}
