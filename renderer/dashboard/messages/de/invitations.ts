import type { invitations as en } from '../en/invitations.ts';
import { count } from '../../../shared/format/format.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

const files = (n: number) => count(n, 'Datei', 'Dateien');

export const invitations = {
  heading: 'Einladungen und Passwort-Links',
  invite: 'Person einladen',
  inviteTo: (n: number) => `Person zu ${files(n)} einladen`,
  inviteNew: 'Neue Person einladen',
  inviteNewText:
    'Die Person wählt ihren Namen und ein Passwort oder einen Passkey selbst und findet die Datei auf ihrer eigenen Seite.',
  form: {
    titleTargets: {
      folder: (name: string) => `Person zum Ordner ${name} einladen`,
      collection: (name: string) => `Person zur Sammlung ${name} einladen`,
    },
    text: 'Du bekommst einen Link, den du der Person schickst. Damit wählt sie ihren Namen und ein Passwort oder einen Passkey selbst. Der Link funktioniert einmal. Sie sieht nur, was du für sie freigibst.',
    name: 'Name',
    nameHint: 'Damit du die Einladung erkennst. Die Person kann einen anderen Namen wählen.',
    end: 'Der Link gilt',
    endChoices: { 1: '1 Tag', 7: '7 Tage', 30: '30 Tage' },
    submit: 'Link erstellen',
  },
  issued: {
    title: (name: string) => `Link für ${name}`,
    text: (name: string) =>
      `Schick diesen Link an ${name}. Wer ihn hat, kann die Einladung annehmen, also schick ihn nur dieser Person. Er funktioniert einmal.`,
    notAgain: 'Der Link wird nicht noch einmal gezeigt. Unter Personen kannst du ihn ersetzen.',
  },
  password: {
    title: (name) => `Neues Passwort für ${name}`,
    text: 'Du bekommst einen Link, den du der Person schickst. Damit wählt sie ein neues Passwort. Bis dahin gilt ihr jetziges; danach ist sie überall abgemeldet. Der Link funktioniert einmal. Frühere Passwort-Links für diese Person funktionieren nicht mehr.',
    issued: (name) =>
      `Schick diesen Link an ${name}. Wer ihn hat, kann das Passwort festlegen, also schick ihn nur dieser Person. Er funktioniert einmal.`,
    purpose: 'Link für ein neues Passwort',
    used: 'Benutzt',
    usedAt: (when) => `Benutzt ${when}`,
    revokeLabel: (name) => `Passwort-Link für ${name} zurückziehen`,
    revoked: (name) => `Der Passwort-Link für ${name} funktioniert nicht mehr`,
    removeLabel: (name) => `Passwort-Link für ${name} entfernen`,
    removed: (name) => `Passwort-Link für ${name} entfernt`,
  },
  shared: (names, more) =>
    more > 0 ? `${names.join(', ')} und ${count(more, 'weitere Datei', 'weitere Dateien')}` : names.join(', '),
  sharedFolder: (path: string) => `Ordner ${path}`,
  sharedCollection: (name: string) => `Sammlung ${name}`,
  nothingShared: 'Keine Dateien',
  until: (when) => `Gültig bis ${when}`,
  expiredAt: (when) => `Abgelaufen ${when}`,
  acceptedAt: (when) => `Angenommen ${when}`,
  acceptedBy: (name, when) => `Angenommen von ${name} ${when}`,
  created: (when) => `Erstellt ${when}`,
  states: { open: 'Offen', expired: 'Abgelaufen', accepted: 'Angenommen', revoked: 'Zurückgezogen' },
  renew: 'Neuer Link',
  renewLabel: (name) => `Neuer Link für ${name}`,
  revoke: 'Zurückziehen',
  revokeLabel: (name) => `Einladung für ${name} zurückziehen`,
  revoked: (name) => `Die Einladung für ${name} funktioniert nicht mehr`,
  removeLabel: (name) => `Einladung für ${name} entfernen`,
  removed: (name) => `Einladung für ${name} entfernt`,
} satisfies Localised<typeof en>;
