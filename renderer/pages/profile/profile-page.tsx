import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type OwnerProfile, profile, removeProfileBundle } from '../../api/profile.ts';
import { Callout } from '../../components/callout.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Failed, Loading, NotDone } from '../../components/states.tsx';
import { useAct } from '../../components/use-act.ts';
import { m } from '../../messages/texts.ts';
import classes from './profile.module.css';
import { ProfileForm } from './profile-form.tsx';
import { Strangers } from './strangers.tsx';

const words = m.profile;

/** Who am I, and who may know it? */
export function ProfilePage() {
  const now = useQuery(profile);
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={words.lead}>
      {now.isPending && <Loading rows={6} height={28} />}
      {now.isError && <Failed error={now.error} retry={() => void now.refetch()} />}
      {now.data !== undefined && (
        <>
          {now.data.bundle && <StoredBundle />}
          <div className={classes.columns}>
            <Mine now={now.data} />
            <Strangers now={now.data} />
          </div>
        </>
      )}
    </Page>
  );
}

function Mine({ now }: { now: OwnerProfile }) {
  return (
    <Section title={words.mine}>
      <ProfileForm now={now} />
      <Text size="sm" c="dimmed" mt="lg">
        {words.record} <code>{now.endpoint}</code>.
      </Text>
    </Section>
  );
}

function StoredBundle() {
  const { busy, problem, act } = useAct();
  return (
    <>
      <Callout
        tone="decision"
        title={words.bundle.title}
        action={
          <Button variant="default" size="xs" loading={busy} onClick={() => void act(removeProfileBundle)}>
            {words.bundle.remove}
          </Button>
        }
      >
        {words.bundle.text}
      </Callout>
      <NotDone problem={problem} />
    </>
  );
}
