import { Button, Text } from '@mantine/core';
import { type Exposure, changeWay } from '../../api/exposure.ts';
import { OutsideLink } from '../../components/consent/outside-link.tsx';
import { tell } from '../../components/notices.tsx';
import { NotDone } from '../../components/states.tsx';
import { useAct } from '../../components/use-act.ts';
import { m } from '../../messages/texts.ts';
import classes from './exposure-page.module.css';

const words = m.exposure.way.tunnel;

/** Where the terms are, or whatever else the authority says about them. */
export function TermsText({ terms }: { terms: string | null }) {
  if (terms !== null && URL.canParse(terms)) return <OutsideLink url={terms}>{words.terms}</OutsideLink>;
  return (
    <Text size="sm" c="dimmed">
      {terms ?? words.noTerms}
    </Text>
  );
}

/** All else is set up, and stands still until the owner agrees. */
export function AgreeToTerms({ now: { relay, domain, terms } }: { now: Exposure }) {
  const { busy, problem, act } = useAct();
  if (relay === null || domain === null) return null;
  const agree = async () => {
    await changeWay({ way: 'tunnel', relay, domain, agreed: true });
    tell(words.agreed);
  };
  return (
    <div className={classes.terms}>
      <TermsText terms={terms} />
      <Button loading={busy} onClick={() => void act(agree)}>
        {words.agreeNow}
      </Button>
      <NotDone problem={problem} />
    </div>
  );
}
