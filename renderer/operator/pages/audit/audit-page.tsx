import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import type { AuditEntry } from '../../api/client.ts';
import { audit } from '../../api/queries.ts';
import { InfiniteList, toItemList } from '../../components/infinite-list.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { Page } from '../../components/page.tsx';
import { messages } from '../../messages/texts.ts';
import classes from './audit-page.module.css';

const texts = messages.audit;

export function AuditPage() {
  return (
    <Page title={texts.pageTitle} lead={texts.lead}>
      <InfiniteList
        list={toItemList(useInfiniteQuery(audit))}
        emptyState={<EmptyState icon={IconHistory} title={texts.none} />}
        singular={texts.singular}
        plural={texts.plural}
      >
        {(items) => (
          <ol className={classes.list} aria-label={texts.pageTitle}>
            {items.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        )}
      </InfiniteList>
    </Page>
  );
}

function Entry({ entry: { time, who, what, subject, detail } }: { entry: AuditEntry }) {
  return (
    <li>
      <span className={classes.time}>
        <Timestamp at={time} />
      </span>
      <span className={classes.event}>
        <b>{who}</b> {texts.actions[what] ?? what} <b>{subject}</b>
        {detail !== '' && <span className={classes.detail}>{detail}</span>}
      </span>
      <code>{what}</code>
    </li>
  );
}
