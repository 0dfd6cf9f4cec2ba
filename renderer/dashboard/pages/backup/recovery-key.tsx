import { useOwnerName } from '../../api/queries.ts';
import { OneTimeSecret } from '../../../shared/overlay/one-time-secret.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './backup.module.css';

const words = m.backup.key;

/** Two of the eight may be the same. */
const groupsOf = (value: string): { key: string; signs: string }[] =>
  value.split('-').map((signs, at) => ({ key: `${at} ${signs}`, signs }));

export function RecoveryKey({ value, close }: { value: string | null; close: () => void }) {
  const name = useOwnerName();
  return (
    <OneTimeSecret
      opened={value !== null}
      close={close}
      words={words}
      text={words.text}
      printTitle={words.printTitle(name)}
      value={value ?? ''}
    >
      <code className={classes.key} role="group" aria-label={words.label}>
        {groupsOf(value ?? '').map(({ key, signs }) => (
          <span key={key}>{signs}</span>
        ))}
      </code>
    </OneTimeSecret>
  );
}
