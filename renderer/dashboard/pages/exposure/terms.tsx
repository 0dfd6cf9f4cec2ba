import { Button, Stack, Text } from '@mantine/core';
import { type Exposure, changeExposure } from '../../api/account/exposure.ts';
import { ExternalLink } from '../../../shared/components/external-link.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.exposure.accessMode.tunnel;

export function TermsText({ terms }: { terms: string | null }) {
  if (terms !== null && URL.canParse(terms)) return <ExternalLink url={terms}>{texts.terms}</ExternalLink>;
  return <Text c="dimmed">{terms ?? texts.noTerms}</Text>;
}

/** Asks for consent to the terms of the certificate authority. Without it, no certificate is requested or renewed. */
export function TermsConsent({ exposure: { relay, domain, terms } }: { exposure: Exposure }) {
  const { busy, problem, run } = useSubmit();
  if (relay === null || domain === null) return null;
  const agree = async () => {
    await changeExposure({ way: 'tunnel', relay, domain, agreed: true });
    showToast(texts.agreed);
  };
  return (
    <Stack align="flex-start" gap="sm">
      <TermsText terms={terms} />
      <Button loading={busy} onClick={() => void run(agree)}>
        {texts.agreeNow}
      </Button>
      <SubmitError problem={problem} />
    </Stack>
  );
}
