import type { NamedBundle } from '../../../server/wire/query.ts';
import { type PlainEntry, containsEntireRecords, plainBundle } from '../../shared/consent/bundle-text.ts';
import { messages } from '../messages/texts.ts';
import classes from './bundle.module.css';

const texts = messages.applications.bundle;

interface BundleDescriptionProps {
  bundle: NamedBundle;
  /** True for conditions, which disclose only whether matching records exist. */
  isCondition?: boolean;
}

export function BundleDescription({ bundle, isCondition = false }: BundleDescriptionProps) {
  return (
    <div className={classes.bundle}>
      {plainBundle(bundle.bundle).map(({ property, title, entries, amount }) => (
        <div key={property} role="group" aria-label={title} className={classes.property}>
          {entries.map((entry) => (
            <Entry key={entry.key} entry={entry} isShared={!isCondition} />
          ))}
          {!isCondition && <p className={classes.amount}>{amount}.</p>}
        </div>
      ))}
    </div>
  );
}

function Entry({ entry, isShared }: { entry: PlainEntry; isShared: boolean }) {
  const { title, endpoint, fields, filters } = entry;
  return (
    <div>
      <p className={classes.title}>
        {title} <code>{endpoint}</code>
      </p>
      {isShared && containsEntireRecords(entry) && <p className={classes.entireRecord}>{texts.entire}</p>}
      {isShared && fields !== null && (
        <ul className={classes.fields}>
          {fields.map(({ name, label, source, sentAs }) => (
            <li key={name} title={sentAs === null ? source : `${source}, ${texts.as(sentAs)}`}>
              {label}
            </li>
          ))}
        </ul>
      )}
      {filters !== undefined && <p className={classes.filters}>{filters}</p>}
    </div>
  );
}
