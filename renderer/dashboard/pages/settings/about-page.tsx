import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { StatusEntry } from '../../../shared/api/contract.ts';
import { owner, systemStatus } from '../../api/queries.ts';
import { Page, Section } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { CopyIconButton } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { bytes, timeZone } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './about-page.module.css';
import { SearchSection } from './search-section.tsx';
import { VersionsSection } from './versions-section.tsx';

const texts = m.settings.about;

/** Start of a status title that ends with the name of an application, contract or function. */
const RECORDS_OF_PREFIX = 'Record Storage Used by ';

const labelOf = (title: string): string =>
  title.startsWith(RECORDS_OF_PREFIX)
    ? texts.recordsOf(title.slice(RECORDS_OF_PREFIX.length))
    : (texts.statusTitles[title] ?? title);

export function AboutPage() {
  const ownerResult = useQuery(owner);
  const status = useQuery(systemStatus);
  // "Previous Login" is meant for programs. The security page lists sessions.
  const figures = (status.data ?? []).filter(({ title }) => title !== 'Previous Login');
  return (
    <Page title={texts.pageTitle}>
      <QueryBoundary query={ownerResult} />
      {ownerResult.data !== undefined && (
        <dl className={classes.facts}>
          <Fact label={texts.name}>{ownerResult.data.name}</Fact>
          <Fact label={texts.version}>{ownerResult.data.version}</Fact>
          <Fact label={texts.since}>
            <RelativeTime at={ownerResult.data.created} />
          </Fact>
          <Fact label={texts.addresses}>{ownerResult.data.addresses.join(', ')}</Fact>
          <Fact label={texts.publicAddress}>{ownerResult.data.publicUrl ?? texts.noPublic}</Fact>
          <Fact label={texts.userId}>
            <span className={classes.id}>
              <code>{ownerResult.data.userId}</code>
              <CopyIconButton value={ownerResult.data.userId} label={m.shell.copy} />
            </span>
          </Fact>
          <Fact label={texts.zone}>{timeZone}</Fact>
        </dl>
      )}
      {figures.length > 0 && (
        <Section title={texts.status}>
          <dl className={classes.facts}>
            {figures.map(({ title, kind }) => (
              <Fact key={title} label={labelOf(title)}>
                <Metric kind={kind} />
              </Fact>
            ))}
          </dl>
        </Section>
      )}
      <SearchSection />
      <VersionsSection />
    </Page>
  );
}

function Metric({ kind: { metric, units } }: { kind: StatusEntry['kind'] }) {
  const value = Number(metric);
  if (units === 'B' && Number.isFinite(value)) return bytes(value);
  return units === undefined ? metric : `${metric}\u00A0${units}`;
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}
