import { Menu, useMantineColorScheme } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { call } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { forgetToken } from '../api/session.ts';
import { HelpMenuItem } from '../help/help-link.tsx';
import { LANGUAGES, type Language, chooseLanguage, currentLanguage } from '../format/languages.ts';
import { m } from '../messages/texts.ts';

export async function signOut(): Promise<void> {
  try {
    await call('POST /api/v2.6/owner/sign-out', {});
  } catch {
    // Signing out in this browser must work even if the server is unreachable.
  }
  forgetToken('signed-out');
  queryClient.clear();
}

const schemes = [
  { value: 'light', label: m.shell.account.light },
  { value: 'dark', label: m.shell.account.dark },
  { value: 'auto', label: m.shell.account.system },
] as const;

const languages = (Object.keys(LANGUAGES) as Language[]).map((value) => ({ value, label: LANGUAGES[value].name }));

interface AccountMenuProps {
  children: ReactNode;
  /** Replaces `signOut`, for servers other than the PDA. */
  onSignOut?: (() => Promise<void>) | undefined;
}

/** @param children the button that opens the menu */
export function AccountMenu({ children, onSignOut }: AccountMenuProps) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="top-start" width={224}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{m.shell.account.appearance}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(schemes.find((scheme) => scheme.value === value)?.value ?? 'auto')}
        >
          {schemes.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{m.shell.account.language}</Menu.Label>
        <Menu.RadioGroup
          value={currentLanguage()}
          onChange={(value) => chooseLanguage(languages.find((language) => language.value === value)?.value ?? 'en')}
        >
          {languages.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value} lang={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        {/* Other servers have no guide. */}
        {onSignOut === undefined && <HelpMenuItem />}
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} />} onClick={() => void (onSignOut ?? signOut)()}>
          {m.shell.account.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
