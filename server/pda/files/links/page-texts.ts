import type { Language } from '../../../wire/language.ts';
import { numberText } from '../page-format.ts';

export const SHARE_TEXTS = {
  en: {
    until: (date: string) => `Open until ${date}`,
    opensLeft: (count: number) =>
      count === 1 ? 'One more file can be opened.' : `${numberText(count, 'en')} more files can be opened.`,
    viewOnly: 'The owner has turned off downloads.',
    open: 'Open',
    download: 'Download',
    notViewable: 'Cannot be shown in a browser',
    empty: 'There are no files here at the moment.',
    noMore: 'There are no more files.',
    more: 'More files',
    downloadAll: 'Download all as ZIP',
    archiveName: 'shared-files.zip',
    passwordTitle: 'Password required',
    passwordText: 'The owner protected this link with a password.',
    passwordLabel: 'Password',
    passwordButton: 'Continue',
    passwordWrong: 'This password is wrong.',
    passwordWait: 'Too many attempts. Try again in a few seconds.',
    endedTitle: 'This link has ended',
    expired: 'It was open for a limited time. Ask its owner for a new one.',
    usedUp: 'Its files were opened as often as the owner allowed. Ask its owner for a new one.',
    unknownTitle: 'This link does not work',
    unknown: 'The address is incomplete, or the owner no longer shares these files.',
    footer: (host: string) => `Shared from ${host}, a Personal Data Account. The owner can see when files are opened.`,
  },
  de: {
    until: (date: string) => `Offen bis ${date}`,
    opensLeft: (count: number) =>
      count === 1
        ? 'Noch eine Datei kann geöffnet werden.'
        : `Noch ${numberText(count, 'de')} Dateien können geöffnet werden.`,
    viewOnly: 'Der Inhaber hat das Herunterladen ausgeschaltet.',
    open: 'Öffnen',
    download: 'Herunterladen',
    notViewable: 'Kann im Browser nicht angezeigt werden',
    empty: 'Hier sind zurzeit keine Dateien.',
    noMore: 'Es gibt keine weiteren Dateien.',
    more: 'Weitere Dateien',
    downloadAll: 'Alle als ZIP herunterladen',
    archiveName: 'geteilte-dateien.zip',
    passwordTitle: 'Passwort erforderlich',
    passwordText: 'Der Inhaber hat diesen Link mit einem Passwort geschützt.',
    passwordLabel: 'Passwort',
    passwordButton: 'Weiter',
    passwordWrong: 'Dieses Passwort ist falsch.',
    passwordWait: 'Zu viele Versuche. Versuchen Sie es in einigen Sekunden noch einmal.',
    endedTitle: 'Dieser Link gilt nicht mehr',
    expired: 'Er war für eine begrenzte Zeit offen. Bitten Sie den Inhaber um einen neuen.',
    usedUp: 'Die Dateien wurden so oft geöffnet, wie der Inhaber erlaubt hat. Bitten Sie ihn um einen neuen Link.',
    unknownTitle: 'Dieser Link funktioniert nicht',
    unknown: 'Die Adresse ist unvollständig, oder der Inhaber teilt diese Dateien nicht mehr.',
    footer: (host: string) =>
      `Geteilt von ${host}, einem Personal Data Account. Der Inhaber kann sehen, wann Dateien geöffnet werden.`,
  },
} as const satisfies Readonly<Record<Language, unknown>>;
