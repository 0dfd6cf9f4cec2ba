import { Button, Text } from '@mantine/core';
import { useEffect } from 'react';
import { m } from '../../../shared/messages/texts.ts';
import { LoginFrame } from './login-frame.tsx';
import classes from './login.module.css';

const words = m.login;

interface ReturningProps {
  name: string;
  pda: string;
  /** The redirect URL without the token, which is not shown. */
  redirect: string;
  /** With it; not there yet while it is asked for. */
  url?: string;
  cancelled: boolean;
}

/** On the way. A button, not a link, for when the browser does not go by itself: a link would show the token. */
export function Returning({ name, pda, redirect, url, cancelled }: ReturningProps) {
  useEffect(() => {
    // In place of this page: going back from the application does not come here again.
    if (url !== undefined) location.replace(url);
  }, [url]);
  const title = cancelled ? words.returning.cancelled(name) : words.returning.title(name);
  return (
    <LoginFrame title={title} windowTitle={title} pda={pda}>
      {!cancelled && <span className={classes.address}>{redirect}</span>}
      {url !== undefined && (
        <div className={`${classes.actions} ${classes.later}`}>
          <Text size="sm" c="dimmed">
            {words.returning.nothing}
          </Text>
          <Button variant="default" onClick={() => location.replace(url)}>
            {words.returning.go(name)}
          </Button>
        </div>
      )}
    </LoginFrame>
  );
}
