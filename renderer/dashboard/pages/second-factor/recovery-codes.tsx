import { useOwnerName } from '../../api/queries.ts';
import { OneTimeSecret } from '../../../shared/overlay/one-time-secret.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './recovery-codes.module.css';

const texts = m.secondFactor.recovery;

export function RecoveryCodes({ codes, close }: { codes: readonly string[] | null; close: () => void }) {
  const name = useOwnerName();
  return (
    <OneTimeSecret
      opened={codes !== null}
      close={close}
      texts={texts}
      text={texts.storageHint}
      printTitle={`${texts.printTitle(name)}, ${location.host}`}
      value={(codes ?? []).join('\n')}
    >
      <ol className={classes.codes}>
        {(codes ?? []).map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
    </OneTimeSecret>
  );
}
