import { Anchor, Box, Button, Checkbox, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { Link, Navigate, useNavigate } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import { Problem, toProblem } from '../../../shared/api/problem.ts';
import { setupState } from '../../api/queries.ts';
import { signIn, useIsSignedIn } from '../../../shared/api/session.ts';
import { NewPasswordField, checkStrength } from '../../components/new-password.tsx';
import { LoadError, RequestId, problemText } from '../../../shared/feedback/states.tsx';
import { withParameters, useUrlQuery } from '../../../shared/form/use-url-query.ts';
import { EntryFrame } from '../../../shared/layout/entry-frame.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { NETWORK_PATH } from '../../navigation.ts';
import { RestoreStep } from '../backup/restore-step.tsx';
import { LATER_STEPS, LaterSteps } from './later-steps.tsx';
import classes from './setup-page.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.entry.setup;
const STEPS = ['welcome', 'restore', 'name', 'password', 'done', ...LATER_STEPS] as const;
type Step = (typeof STEPS)[number];

const isLaterStep = (step: Step): step is (typeof LATER_STEPS)[number] => LATER_STEPS.some((item) => item === step);

const NAME_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?$/;

export function SetupPage() {
  const state = useQuery(setupState);
  const [query, setQuery] = useUrlQuery();
  const [name, setName] = useState('');
  const isSignedIn = useIsSignedIn();
  const code = query.get('code') ?? '';
  const requestedStep = STEPS.find((step) => step === query.get('step')) ?? 'welcome';
  // Going back or reloading must not skip an incomplete step.
  const step: Step = requestedStep === 'password' && name === '' ? 'name' : requestedStep;
  const goTo = (next: Step) => {
    // Removes the used one-time code from the URL.
    setQuery(withParameters({ step: next, ...(isLaterStep(next) ? { code: '' } : {}) }), { replace: next === 'done' });
  };

  if (state.isPending) return null;
  if (state.isError) {
    return (
      <EntryFrame title={texts.pageTitle} windowTitle={texts.pageTitle}>
        <LoadError error={state.error} retry={() => void state.refetch()} />
      </EntryFrame>
    );
  }
  if (state.data.state === 'done' && isSignedIn && isLaterStep(step)) return <LaterSteps step={step} goTo={goTo} />;
  // The set-up has just been completed on this page.
  if (state.data.state === 'done' && name !== '') return <DoneStep name={name} next={() => goTo('safe')} />;
  if (state.data.state === 'done') {
    return (
      <EntryFrame title={texts.already.title} windowTitle={texts.pageTitle} text={texts.already.text}>
        <Button component={Link} to="/sign-in">
          {m.entry.signIn.submit}
        </Button>
      </EntryFrame>
    );
  }
  if (code === '') {
    return (
      <EntryFrame
        withLanguageLinks
        title={texts.notSetUp.title}
        windowTitle={texts.pageTitle}
        text={texts.notSetUp.text}
      >
        <Text c="dimmed" mb="xs">
          {texts.notSetUp.hint}
        </Text>
        <Code block>{`${location.origin}/#/setup?code=…`}</Code>
      </EntryFrame>
    );
  }
  if (step === 'done' || isLaterStep(step)) return <Navigate to={`/setup?code=${encodeURIComponent(code)}`} replace />;
  if (step === 'restore') return <RestoreStep code={code} back={() => goTo('welcome')} />;
  if (step === 'name') return <NameStep name={name} onName={setName} next={() => goTo('password')} />;
  if (step === 'password') return <PasswordStep name={name} code={code} next={() => goTo('done')} />;
  return (
    <EntryFrame
      withLanguageLinks
      title={texts.welcome.title}
      windowTitle={texts.pageTitle}
      text={texts.welcome.text}
      step={step}
    >
      <ul className={classes.points}>
        {texts.welcome.points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      <Button size="md" onClick={() => goTo('name')}>
        {texts.welcome.next}
      </Button>
      <Button size="md" variant="subtle" ms="sm" onClick={() => goTo('restore')}>
        {m.backup.restore.offer}
      </Button>
    </EntryFrame>
  );
}

function NameStep({ name, onName, next }: { name: string; onName: (name: string) => void; next: () => void }) {
  const [text, setText] = useState(name);
  const [problem, setProblem] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!NAME_PATTERN.test(text)) {
      setProblem(text === '' ? m.shell.nameMissing : texts.name.invalid);
      return;
    }
    onName(text);
    next();
  };
  return (
    <EntryFrame
      title={texts.name.title}
      windowTitle={texts.pageTitle}
      aboveTitle={texts.steps(1, 2)}
      text={texts.name.text}
      step="name"
    >
      <form onSubmit={submit} noValidate>
        <TextInput
          label={texts.name.label}
          description={texts.name.hint}
          value={text}
          error={problem}
          autoComplete="username"
          autoFocus
          autoCapitalize="none"
          spellCheck={false}
          maxLength={62}
          onChange={(event) => {
            setText(event.currentTarget.value.toLowerCase().replaceAll(/[\s_]/g, '-'));
            setProblem('');
          }}
        />
        <dl className={classes.addresses}>
          <dt>{texts.name.addressNow}</dt>
          <dd>{location.host}</dd>
          <dt>{texts.name.addressLater}</dt>
          <dd data-example>{texts.name.addressLaterValue(text)}</dd>
        </dl>
        <Button type="submit" size="md">
          {texts.name.next}
        </Button>
      </form>
    </EntryFrame>
  );
}

function PasswordStep({ name, code, next }: { name: string; code: string; next: () => void }) {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [staySignedIn, setStaySignedIn] = useState(false);
  const [problem, setProblem] = useState<string | Problem>('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (password === '') {
      setProblem(texts.password.missing);
      return;
    }
    setBusy(true);
    try {
      const { acceptable } = await checkStrength(password, name);
      if (acceptable) {
        const { accessToken } = await call('POST /api/v2.6/owner/setup', { body: { code, name, password } });
        signIn(accessToken, staySignedIn);
        client.setQueryData(setupState.queryKey, { state: 'done', name });
        next();
        return;
      }
      setProblem(texts.password.tooWeak);
    } catch (error) {
      setProblem(toProblem(error));
    }
    setBusy(false);
  };
  return (
    <EntryFrame
      title={texts.password.title}
      windowTitle={texts.pageTitle}
      aboveTitle={texts.steps(2, 2)}
      text={texts.password.text}
      step="password"
    >
      <form onSubmit={(event) => void submit(event)} noValidate>
        {/* Lets password managers store the name with the password. */}
        <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
        <NewPasswordField
          label={texts.password.label}
          name={name}
          value={password}
          autoFocus
          error={
            problem instanceof Problem ? (
              <>
                {problemText(problem)} <RequestId problem={problem} />
              </>
            ) : (
              problem
            )
          }
          onChange={(value) => {
            setPassword(value);
            setProblem('');
          }}
        />
        <Checkbox
          mt="lg"
          label={texts.password.stay}
          description={m.entry.signIn.keepHint}
          checked={staySignedIn}
          onChange={(event) => setStaySignedIn(event.currentTarget.checked)}
        />
        <Button type="submit" size="md" mt="lg" loading={busy}>
          {texts.password.next}
        </Button>
      </form>
    </EntryFrame>
  );
}

function DoneStep({ name, next }: { name: string; next: () => void }) {
  const navigate = useNavigate();
  useEffect(() => {
    // Removes the used one-time code from the URL.
    window.history.replaceState(window.history.state, '', '#/setup?step=done');
  }, []);
  return (
    <EntryFrame title={texts.done.title(name)} windowTitle={texts.pageTitle} text={texts.done.text} step="done">
      <Stack gap="xs" mb="lg">
        <Text c="dimmed">{texts.done.bookmark}</Text>
        <Anchor size="md" href={`${location.origin}/`} className={classes.address}>
          {`${location.origin}/`}
        </Anchor>
      </Stack>
      <Group gap="sm">
        <Button size="md" onClick={next}>
          {texts.done.continueSetup}
        </Button>
        <Button size="md" variant="default" onClick={() => void navigate('/', { replace: true })}>
          {texts.done.next}
        </Button>
      </Group>
      <Box mt="2rem" pt="md" style={{ borderTop: '1px solid var(--hairline)' }}>
        <Text c="dimmed">{m.network.setup.hint}</Text>
        <TextLink to={NETWORK_PATH} replace>
          {m.network.setup.go}
        </TextLink>
      </Box>
    </EntryFrame>
  );
}
