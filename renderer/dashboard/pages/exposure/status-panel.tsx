import { Text } from '@mantine/core';
import type { Exposure } from '../../api/account/exposure.ts';
import { StatusBadge } from '../../../shared/components/status-badge.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { AddressRow } from './address-row.tsx';
import { DarkSwitch } from './dark-switch.tsx';
import classes from './exposure-page.module.css';
import { isReachable, isOwnAddress, exposureStatusText, awaitsTermsConsent } from './status-text.ts';
import { TermsConsent } from './terms.tsx';

const texts = m.exposure;

export function ExposureStatus({ exposure }: { exposure: Exposure }) {
  const { state, address, since, darkSince, problem, nextTry, tries, visitors, dark } = exposure;
  const { status, title, explanation, todo } = exposureStatusText(exposure);
  const stateSince = dark ? darkSince : since;
  return (
    <section className={classes.statusPanel} aria-label={texts.now} data-status={status}>
      <div aria-live="polite">
        <Text size="md" component="h2" className={classes.title ?? ''}>
          <StatusBadge status={status}>{title}</StatusBadge>
        </Text>
        <Text maw="44rem" mt="xs">
          {explanation}
          {todo !== '' && ` ${todo}`}
        </Text>
      </div>
      <div className={classes.details}>
        {stateSince !== null && state !== 'off' && (
          <span>
            {texts.since} <RelativeTime at={stateSince} />
          </span>
        )}
        {isReachable(state) && <span>{texts.visitors(visitors)}</span>}
        {nextTry !== null && !dark && (
          <span>
            {texts.next} <RelativeTime at={nextTry} short />
          </span>
        )}
        {tries > 1 && !isReachable(state) && !dark && <span>{texts.attempts(tries)}</span>}
        {problem !== null && !dark && !awaitsTermsConsent(exposure) && (
          <span>
            {texts.reason}: {problem}
          </span>
        )}
      </div>
      {/* Also shown while an earlier certificate is valid: without consent it cannot be renewed. */}
      {exposure.termsPending && (state === 'certificate' || isReachable(state)) && <TermsConsent exposure={exposure} />}
      {address !== null && (
        <AddressRow address={address} isReachable={isReachable(state)} isOwn={isOwnAddress(state)} />
      )}
      {(state !== 'off' || dark) && <DarkSwitch exposure={exposure} />}
    </section>
  );
}
