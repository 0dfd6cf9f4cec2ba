import { Button, Group, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import type { LoginRequest } from '../../../../server/wire/applications.ts';
import { hostOf } from '../../../shared/components/external-link.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { LoginFrame } from './login-frame.tsx';
import classes from './login.module.css';

const texts = m.login.refused;

function textsOf(request: LoginRequest, name: string): { title: string; text?: string } {
  switch (request.reason?.split('/')[1]) {
    case 'redirect_not_registered':
      return { title: texts.unregisteredTitle(name), text: texts.unregistered(name) };
    case 'redirect_is_required':
      return { title: texts.noRedirectTitle(name), text: texts.noRedirect };
    case 'application_id_is_required':
      return { title: texts.noApplicationTitle, text: texts.noApplication };
    case 'application_id_not_found':
      return { title: texts.unknownTitle, text: texts.unknown };
    default:
      return { title: texts.otherTitle };
  }
}

interface RefusalProps {
  request: LoginRequest;
  /** Application that the login URL names. */
  requestedName: string | undefined;
  pdaName: string;
}

/** Explains why a login was refused. Shows an unregistered redirect URL as text, never as a link. */
export function Refusal({ request, requestedName, pdaName }: RefusalProps) {
  const application = request.application?.item.application;
  const applicationName = application?.info.name ?? '';
  const { title, text } = textsOf(request, applicationName);
  const isUnregistered = request.reason?.endsWith('/redirect_not_registered') === true;
  // Parses the host as browsers do: the host of `https://notes.example@evil.example` is `evil.example`.
  const host = hostOf(request.redirect);
  return (
    <LoginFrame title={title} windowTitle={m.login.windowTitle(applicationName)} pdaName={pdaName} text={text}>
      {isUnregistered && (
        <>
          <Title order={2} mb="sm">
            {texts.requestedAddress}
          </Title>
          <bdi className={`${classes.address} ${classes.unregisteredAddress}`}>{request.redirect}</bdi>
          {host !== undefined && (
            <Text mt="sm">
              {texts.leadsTo} <b>{host}</b>
            </Text>
          )}
          <section className={classes.section}>
            <Title order={2}>{texts.registered(applicationName)}</Title>
            {request.registered.length === 0 ? (
              <Text>{texts.none}</Text>
            ) : (
              <ul className={classes.addresses}>
                {request.registered.map((address) => (
                  <li key={address}>{address}</li>
                ))}
              </ul>
            )}
          </section>
          <Text mt="lg">{texts.unregisteredAdvice}</Text>
        </>
      )}
      {application === undefined && requestedName !== undefined && (
        <>
          <Text c="dimmed" mb="xs">
            {texts.unknownName}
          </Text>
          <bdi className={classes.address}>{requestedName.slice(0, 200)}</bdi>
        </>
      )}
      <Group gap="0.75rem" mt="2rem">
        <Button component={Link} to="/">
          {texts.home}
        </Button>
      </Group>
      {request.reason !== null && (
        <div className={classes.errorCode}>
          {texts.code} <code>{request.reason}</code>
        </div>
      )}
    </LoginFrame>
  );
}
