import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { OwnerProfile } from '../../api/account/profile.ts';
import { owner } from '../../api/queries.ts';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './profile.module.css';

const texts = m.profile.publicPage;

export function PublicPreview({ ownerProfile: { page } }: { ownerProfile: OwnerProfile }) {
  const publicUrl = useQuery(owner).data?.publicUrl;
  const address = `${publicUrl ?? location.origin}/profile`;
  return (
    <Section title={texts.title}>
      <div className={classes.publicPage}>
        {page === null ? (
          <Text c="dimmed" p="2rem 1.25rem" bd="1px dashed var(--outline)" bdrs="lg">
            {texts.nothing}
          </Text>
        ) : (
          // Fully sandboxed: the page cannot run scripts or navigate the dashboard.
          <iframe className={classes.frame} title={texts.frame} srcDoc={page} sandbox="" tabIndex={-1} />
        )}
        <Text c="dimmed">
          {texts.at} <span className={classes.address}>{address}</span>
        </Text>
        {publicUrl === null && <Text c="dimmed">{texts.onlyHere}</Text>}
        {page !== null && (
          <Anchor href={address} target="_blank" rel="noopener noreferrer" data-standalone>
            {texts.open}
          </Anchor>
        )}
      </div>
    </Section>
  );
}
