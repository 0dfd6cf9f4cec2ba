import { Foreign } from '../../components/foreign.tsx';
import { Button } from '@mantine/core';
import { IconChevronRight, IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { OwnerDebit } from '../../api/contract.ts';
import { debits, waitingOf, waitingPermission } from '../../api/debits.ts';
import { differences } from '../../components/consent/differences.ts';
import { Logo } from '../../components/consent/logo.tsx';
import { sentenceCase } from '../../components/consent/names.ts';
import { hostOf } from '../../components/consent/outside-link.tsx';
import { bundleText } from '../../components/consent/plain-words.ts';
import { untilShort } from '../../components/consent/time-words.ts';
import { OfferExamples } from '../../components/offer-examples.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Empty, Failed, Loading } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';
import { requestPath, sharingPath } from '../../navigation.ts';
import classes from './requests-page.module.css';

const words = m.requests;
const DECIDED_SHOWN = 20;

/** Who wants something? */
export function RequestsPage() {
  const all = useQuery(debits);
  const waiting = waitingOf(all.data ?? []);
  const decided = (all.data ?? []).filter(({ waiting, debit }) => waiting === null && debit.state !== 'removed');
  return (
    <Page
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={all.data === undefined || all.data.length === 0 ? undefined : words.lead(waiting.length)}
    >
      {all.isPending && <Loading rows={5} height={48} />}
      {all.isError && <Failed error={all.error} retry={() => void all.refetch()} />}
      {all.data !== undefined && all.data.length === 0 && (
        <Empty icon={IconInbox} title={words.empty.title} actions={<OfferExamples />}>
          {words.empty.text}
        </Empty>
      )}
      {waiting.length > 0 && (
        <ul className={classes.waiting} aria-label={words.waiting}>
          {waiting.map((item) => (
            <Waiting key={item.debit.dataDebitKey} item={item} />
          ))}
        </ul>
      )}
      {decided.length > 0 && <Decided items={decided} />}
    </Page>
  );
}

/** In one line: what it wants, or how many things would change of what it has. */
function askText(item: OwnerDebit): string {
  const permission = waitingPermission(item);
  const running = item.debit.permissionsActive;
  if (permission === undefined) return '';
  return running === undefined
    ? words.asksFor(bundleText(permission.bundle.bundle))
    : words.asksChange(differences(running, permission).length);
}

function Waiting({ item }: { item: OwnerDebit }) {
  const { debit, waitingAs } = item;
  const asker = waitingAs ?? debit;
  const permission = waitingPermission(item);
  const [now] = useState(() => new Date());
  if (permission === undefined) return null;
  return (
    <li>
      <Link to={requestPath(debit.dataDebitKey)} className={classes.card ?? ''}>
        <Logo url={asker.requestClientLogoUrl} name={asker.requestClientName} size={44} />
        <span className={classes.words}>
          <span className={classes.name}>
            <Foreign>{asker.requestClientName}</Foreign>
            {debit.permissionsActive !== undefined && <span className={classes.change}>{words.change}</span>}
            <small>{hostOf(asker.requestClientUrl)}</small>
          </span>
          <span>
            {askText(item)}, {untilShort(permission, now)}.
          </span>
          <span className={classes.purpose}>
            <Foreign>{permission.purpose}</Foreign>
          </span>
        </span>
        <span className={classes.aside}>
          <When at={permission.dateCreated} />
          <span className={classes.open}>
            {words.open}
            <IconChevronRight size={16} stroke={1.6} aria-hidden="true" />
          </span>
        </span>
      </Link>
    </li>
  );
}

function Decided({ items }: { items: readonly OwnerDebit[] }) {
  const [shown, setShown] = useState(DECIDED_SHOWN);
  const rest = items.length - shown;
  return (
    <Section title={words.decided}>
      <table className={classes.table} aria-label={words.decidedLabel}>
        <thead>
          <tr>
            <th scope="col">{words.columns.who}</th>
            <th scope="col" data-wide>
              {words.columns.what}
            </th>
            <th scope="col">{words.columns.decision}</th>
            <th scope="col" data-wide>
              {words.columns.when}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, shown).map(({ debit }) => (
            <tr key={debit.dataDebitKey}>
              <th scope="row">
                <Link to={sharingPath(debit.dataDebitKey)}>
                  <Foreign>{debit.requestClientName}</Foreign>
                </Link>
              </th>
              <td data-wide>{sentenceCase(bundleText(debit.permissionsLatest.bundle.bundle))}</td>
              <td>{words.states[debit.state]}</td>
              <td data-wide>
                <When at={debit.permissionsLatest.dateCreated} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <Button variant="default" size="xs" mt="md" onClick={() => setShown(items.length)}>
          {words.more(rest)}
        </Button>
      )}
    </Section>
  );
}
