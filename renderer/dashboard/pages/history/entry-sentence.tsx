import type { Sentence } from './entry-text.ts';
import classes from './access-rows.module.css';

/** The sentence of an entry, with the reader in bold and the details in grey. */
export function EntrySentence({ sentence: { reader, action, details } }: { sentence: Sentence }) {
  return (
    <span className={classes.sentence}>
      <span>
        <b>{reader}</b> {action}
      </span>
      {details.length > 0 && <span className={classes.details}>, {details.join(', ')}</span>}
    </span>
  );
}
