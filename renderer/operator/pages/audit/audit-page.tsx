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

const words = messages.audit;

export function AuditPage() {
  return (
    <Page title={words.pageTitle} lead={words.lead}>
      <InfiniteList
        list={toItemList(useInfiniteQuery(audit))}
        emptyState={<EmptyState icon={IconHistory} title={words.none} />}
        singular={words.singular}
        plural={words.plural}
      >
        {(items) => (
          <ol className={classes.list} aria-label={words.pageTitle}>
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
        <b>{who}</b> {words.actions[what] ?? what} <b>{subject}</b>
        {detail !== '' && <span className={classes.detail}>{detail}</span>}
      </span>
      <code>{what}</code>
    </li>
  );
}
