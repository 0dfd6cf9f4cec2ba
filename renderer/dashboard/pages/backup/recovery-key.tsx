import { useOwnerName } from '../../api/queries.ts';
import { OneTimeSecret } from '../../../shared/overlay/one-time-secret.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './backup.module.css';

const texts = m.backup.key;

/** Splits a recovery key into its groups. The React keys contain the index, because groups can be equal. */
const groupsOf = (value: string): { key: string; characters: string }[] =>
  value.split('-').map((characters, index) => ({ key: `${index} ${characters}`, characters }));

export function RecoveryKey({ value, close }: { value: string | null; close: () => void }) {
  const name = useOwnerName();
  return (
    <OneTimeSecret
      opened={value !== null}
      close={close}
      texts={texts}
      text={texts.text}
      printTitle={texts.printTitle(name)}
      value={value ?? ''}
    >
      <code className={classes.key} role="group" aria-label={texts.label}>
        {groupsOf(value ?? '').map(({ key, characters }) => (
          <span key={key}>{characters}</span>
        ))}
      </code>
    </OneTimeSecret>
  );
}
