import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { Empty } from '../../../components/states.tsx';
import type { AuditLine } from '../../api/client.ts';
import { audit } from '../../api/queries.ts';
import { Endless, pagesOf } from '../../components/endless.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/texts.ts';
import classes from './audit-page.module.css';

const words = x.audit;

export function AuditPage() {
  return (
    <Only role="administrator">
      <Audit />
    </Only>
  );
}

function Audit() {
  return (
    <Page title={words.pageTitle} lead={words.lead}>
      <Endless
        pages={pagesOf(useInfiniteQuery(audit))}
        none={<Empty icon={IconHistory} title={words.none} />}
        one={words.one}
        other={words.other}
      >
        {(items) => (
          <ol className={classes.list} aria-label={words.pageTitle}>
            {items.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        )}
      </Endless>
    </Page>
  );
}

/** "root published the application walk": who, what, and to what. The name that programs know it by stands beside it. */
function Entry({ entry: { time, who, what, subject, detail } }: { entry: AuditLine }) {
  return (
    <li>
      <span className={classes.time}>
        <Moment at={time} />
      </span>
      <span className={classes.words}>
        <b>{who}</b> {words.did[what] ?? what} <b>{subject}</b>
        {detail !== '' && <span className={classes.detail}>{detail}</span>}
      </span>
      <code>{what}</code>
    </li>
  );
}
