import { Button, Group, Text } from '@mantine/core';
import { useEffect } from 'react';
import { m } from '../../../shared/messages/texts.ts';
import { LoginFrame } from './login-frame.tsx';
import classes from './login.module.css';

const texts = m.login;

interface RedirectNoticeProps {
  name: string;
  pdaName: string;
  /** Redirect URL for display, without the token. Not shown if `failed`. */
  redirect: string;
  /** Redirect URL with the token, or failure URL if `failed`; undefined while it is being requested. */
  url?: string;
  /** True if the login was cancelled, refused or failed. */
  failed: boolean;
}

/** Redirects to the application. The fallback is a button, because a link would reveal the token. */
export function RedirectNotice({ name, pdaName, redirect, url, failed }: RedirectNoticeProps) {
  useEffect(() => {
    // Replaces this page in the history, so that "back" from the application does not return here.
    if (url !== undefined) location.replace(url);
  }, [url]);
  const title = failed ? texts.returning.cancelled(name) : texts.returning.title(name);
  return (
    <LoginFrame title={title} windowTitle={title} pdaName={pdaName}>
      {!failed && <span className={classes.address}>{redirect}</span>}
      {url !== undefined && (
        <Group gap="0.75rem" mt="2rem" className={classes.delayedFallback ?? ''}>
          <Text c="dimmed">{texts.returning.nothing}</Text>
          <Button variant="default" onClick={() => location.replace(url)}>
            {texts.returning.go(name)}
          </Button>
        </Group>
      )}
    </LoginFrame>
  );
}
