import { Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { toProblem } from '../../../shared/api/problem.ts';
import { confirmAppSetup, startAppSetup } from '../../api/account/second-factor.ts';
import { CopyableValue } from '../../../shared/components/copyable-value.tsx';
import { Dialog } from '../../../shared/overlay/dialog.tsx';
import { DialogButtons } from '../../../shared/overlay/dialog-form.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { QrCode } from '../exposure/qr-code.tsx';
import { ProofForm } from './proof-form.tsx';

const texts = m.secondFactor.app;

interface AppSetupProps {
  opened: boolean;
  isReplacement: boolean;
  close: () => void;
  onAdded: (codes: string[] | null) => void;
}

export function AppSetup({ opened, isReplacement, close, onAdded }: AppSetupProps) {
  const [setup, setSetup] = useState<{ secret: string; uri: string }>();
  const finish = () => {
    close();
    setSetup(undefined);
  };
  return (
    <Dialog opened={opened} onClose={finish} closeOnClickOutside={false} title={texts.dialog}>
      {setup === undefined ? (
        <ProofForm
          submitLabel={texts.next}
          cancel={finish}
          onProof={async (proof) => setSetup(await startAppSetup(proof))}
        >
          {isReplacement ? texts.replaces : undefined}
        </ProofForm>
      ) : (
        <FirstCodeForm
          {...setup}
          cancel={finish}
          onDone={(codes) => {
            finish();
            onAdded(codes);
          }}
        />
      )}
    </Dialog>
  );
}

interface FirstCodeFormProps {
  secret: string;
  uri: string;
  cancel: () => void;
  onDone: (codes: string[] | null) => void;
}

function FirstCodeForm({ secret, uri, cancel, onDone }: FirstCodeFormProps) {
  const [code, setCode] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const { busy, problem, run } = useSubmit();
  const isWrong = problem !== undefined && toProblem(problem).code === 'forbidden';
  const send = (event: FormEvent) => {
    event.preventDefault();
    setIsMissing(code === '');
    if (code === '') return;
    void run(async () => {
      const codes = await confirmAppSetup(code);
      showToast(texts.done);
      onDone(codes);
    });
  };
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text>{texts.scan}</Text>
        <QrCode uri={uri} label={texts.code} />
        <div>
          <Text c="dimmed">{texts.byHand}</Text>
          <CopyableValue value={secret.match(/.{1,4}/gu)?.join(' ') ?? secret} label={texts.copy} />
        </div>
        <TextInput
          label={texts.first}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          autoFocus
          error={isMissing && code === '' ? texts.missing : isWrong ? texts.wrong : undefined}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {!isWrong && <SubmitError problem={problem} />}
        <DialogButtons close={cancel} submitLabel={texts.finish} busy={busy} />
      </Stack>
    </form>
  );
}
