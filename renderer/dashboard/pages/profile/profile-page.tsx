import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type OwnerProfile, profile, removeProfileBundle } from '../../api/account/profile.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Page, Section } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './profile.module.css';
import { ProfileForm } from './profile-form.tsx';
import { PublicPreview } from './public-preview.tsx';

const texts = m.profile;

export function ProfilePage() {
  const result = useQuery(profile);
  return (
    <Page title={texts.pageTitle} lead={texts.lead}>
      <QueryBoundary query={result} rows={6} height={28} />
      {result.data !== undefined && (
        <>
          {result.data.bundle && <BundleNotice />}
          <div className={classes.columns}>
            <ProfileEditor ownerProfile={result.data} />
            <PublicPreview ownerProfile={result.data} />
          </div>
        </>
      )}
    </Page>
  );
}

function ProfileEditor({ ownerProfile }: { ownerProfile: OwnerProfile }) {
  return (
    <Section title={texts.aboutYou}>
      <ProfileForm ownerProfile={ownerProfile} />
      <Text c="dimmed" mt="lg">
        {texts.record} <code>{ownerProfile.endpoint}</code>.
      </Text>
    </Section>
  );
}

function BundleNotice() {
  const { busy, problem, run } = useSubmit();
  return (
    <>
      <Callout
        tone="attention"
        title={texts.bundle.title}
        action={
          <Button variant="default" size="xs" loading={busy} onClick={() => void run(removeProfileBundle)}>
            {texts.bundle.remove}
          </Button>
        }
      >
        {texts.bundle.text}
      </Callout>
      <SubmitError problem={problem} />
    </>
  );
}
