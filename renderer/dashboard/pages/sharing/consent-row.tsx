import { Text } from '@mantine/core';
import { Link } from 'react-router';
import type { OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { Logo } from '../../../shared/components/logo.tsx';
import { toSentenceCase } from '../../../shared/components/display-names.ts';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { bundleText } from '../../../shared/consent/bundle-text.ts';
import { m } from '../../../shared/messages/texts.ts';
import { useDataNames } from '../../consent/use-data-names.ts';
import { requestPath, sharingPath } from '../../navigation.ts';
import { ResumeButton } from './pause/resume-button.tsx';
import { stopSharing } from './revocation.tsx';
import classes from './sharing-page.module.css';
import { debitStatusText, isEnabled, mainPermission } from './status-text.ts';
import { ActionButton } from '../../../shared/feedback/action-button.tsx';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.sharing;

function accessText({ debit }: OwnerDebit, state: Permission['state'], dataText: string): string {
  if (debit.pausedUntil !== undefined) return texts.pause.cannotSee(dataText);
  if (debit.state === 'enabled') return (state === 'scheduled' ? texts.willSee : texts.canSee)(dataText);
  return (debit.state === 'rejected' ? texts.requested : texts.couldSee)(dataText);
}

interface ConsentRowProps {
  item: OwnerDebit;
  now: Date;
  /** Set in lists with other kinds of readers. */
  showKind?: boolean;
}

export function ConsentRow({ item, now, showKind = false }: ConsentRowProps) {
  const { debit, waiting, lastRead, reads } = item;
  const isActive = isEnabled(item);
  const permission = mainPermission(item);
  const dataText = bundleText(permission.bundle.bundle, useDataNames());
  const name = debit.requestClientName;
  return (
    <li className={classes.row} data-past={!isActive || undefined}>
      <Logo url={debit.requestClientLogoUrl} name={name} size={36} />
      <div className={classes.text}>
        <div className={classes.heading}>
          <Link to={sharingPath(debit.dataDebitKey)} className={classes.name ?? ''} data-standalone data-list-item>
            <UntrustedText>{name}</UntrustedText>
          </Link>
          {showKind && <small className={classes.kind}>{texts.kinds.consent}</small>}
        </div>
        <span>{accessText(item, permission.state, dataText)}</span>
        <span className={classes.secondaryText}>{toSentenceCase(debitStatusText(item, now))}</span>
        {debit.pausedUntil !== undefined && (
          <div>
            <ResumeButton debit={debit} />
          </div>
        )}
        {waiting !== null && (
          <TextLink to={requestPath(debit.dataDebitKey)} c="var(--decision)">
            {isActive ? texts.waiting : texts.state.pending}
          </TextLink>
        )}
      </div>
      <div className={classes.lastRead}>
        {debit.state === 'rejected' ? null : lastRead === null ? (
          <Text c="dimmed">{texts.never}</Text>
        ) : (
          <>
            <span>
              {texts.lastRead} <RelativeTime at={lastRead} />
            </span>
            <span className={classes.secondaryText}>{texts.reads(reads)}</span>
          </>
        )}
      </div>
      {isActive && (
        <div className={classes.stopButton}>
          <ActionButton isDestructive label={texts.stopLabel(name, dataText)} action={() => stopSharing(item)}>
            {texts.stop}
          </ActionButton>
        </div>
      )}
    </li>
  );
}
