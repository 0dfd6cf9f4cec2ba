import { Text } from '@mantine/core';
import type { Exposure } from '../../api/account/exposure.ts';
import { StatusBadge } from '../../../shared/components/status-badge.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { AddressLine } from './address-row.tsx';
import { DarkSwitch } from './dark-switch.tsx';
import classes from './exposure-page.module.css';
import { isReachable, isOurs, exposureStatusText, waitsForTerms } from './status-text.ts';
import { AgreeToTerms } from './terms.tsx';

const words = m.exposure;

/** Can anybody reach it, by which address, and how does one end that? */
export function ExposureStatus({ now }: { now: Exposure }) {
  const { state, address, since, darkSince, problem, nextTry, tries, visitors, dark } = now;
  const { standing, title, means, todo } = exposureStatusText(now);
  const began = dark ? darkSince : since;
  return (
    <section className={classes.state} aria-label={words.now} data-status={standing}>
      <div aria-live="polite">
        <Text component="h2" className={classes.title ?? ''}>
          <StatusBadge status={standing}>{title}</StatusBadge>
        </Text>
        <Text size="sm" className={classes.means ?? ''}>
          {means}
          {todo !== '' && ` ${todo}`}
        </Text>
      </div>
      <div className={classes.small}>
        {began !== null && state !== 'off' && (
          <span>
            {words.since} <RelativeTime at={began} />
          </span>
        )}
        {isReachable(state) && <span>{words.visitors(visitors)}</span>}
        {nextTry !== null && !dark && (
          <span>
            {words.next} <RelativeTime at={nextTry} short />
          </span>
        )}
        {tries > 1 && !isReachable(state) && !dark && <span>{words.tries(tries)}</span>}
        {problem !== null && !dark && !waitsForTerms(now) && (
          <span>
            {words.said}: {problem}
          </span>
        )}
      </div>
      {/* Also under a certificate from before: without it there is no next one. */}
      {now.termsWait && (state === 'certificate' || isReachable(state)) && <AgreeToTerms now={now} />}
      {address !== null && <AddressLine address={address} isAnswering={isReachable(state)} isOurs={isOurs(state)} />}
      {(state !== 'off' || dark) && <DarkSwitch now={now} />}
    </section>
  );
}
