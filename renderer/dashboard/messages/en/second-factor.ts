import { count, number, relativeTime } from '../../../shared/format/format.ts';

const codes = (n: number) => count(n, 'code', 'codes');

/** The second factor: in the settings, at sign-in and on the home page. */
export const secondFactor = {
  title: 'Second factor',
  off: 'Only your password protects your PDA from sign-ins from outside. A second factor also requires a device or code that you have.',
  on: 'Signing in from outside requires your password and the second factor. On the computer that runs your PDA, your password is enough.',
  onAlways: 'Signing in requires your password and the second factor, including on the computer that runs your PDA.',
  people: 'It applies only to you. People you added sign in with their password or a passkey.',
  app: {
    title: 'Authenticator app',
    none: 'An app on your phone that shows a new six-digit code every 30 seconds.',
    add: 'Add an app',
    replace: 'Use another app',
    removeLabel: 'Remove the authenticator app',
    dialog: 'Add an authenticator app',
    replaces: 'Your current app keeps working until you enter the first code of the new one.',
    next: 'Continue',
    scan: 'Scan this code with the app. It is shown only once.',
    code: 'QR code with the secret for an authenticator app',
    byHand: 'Or type this secret into the app',
    copy: 'Copy secret',
    first: 'Six-digit code from the app',
    wrong: 'Wrong code. Check the clock of your phone and enter the code that the app shows now.',
    missing: 'Enter the six digits.',
    finish: 'Confirm code',
    done: 'Authenticator app added',
  },
  passkeys: {
    title: 'Passkeys',
    text: 'A key stored by your device, browser or password manager and unlocked by your fingerprint, face or PIN.',
    add: 'Add a passkey',
    name: 'Name of the passkey',
    nameHint: 'For example: laptop, phone, security key',
    submit: 'Continue to your device',
    notMade: 'No passkey was created. You cancelled, it took too long, or the device already has one.',
    done: (name: string) => `Passkey ${name} added`,
    created: 'Added',
    lastUsed: 'Last used',
    never: 'Never used',
    otherAddress: (address: string) => `Works only at ${address}`,
    removeLabel: (name: string) => `Remove the passkey ${name}`,
    rename: {
      label: (name: string) => `Rename the passkey ${name}`,
      title: 'Rename passkey',
      submit: 'Save name',
      done: (name: string) => `Passkey renamed to ${name}`,
    },
    unsupportedAddress: (host: string, localAddress: string) =>
      `You cannot add a passkey at ${host}: browsers accept passkeys for host names, not for IP addresses. Open your PDA at ${localAddress} or at its public address.`,
    unsupportedBrowser: 'This browser does not support passkeys at this address.',
  },
  recovery: {
    title: 'Recovery codes',
    text: 'Use them when you have neither your app nor a passkey at hand. Each code works once.',
    remaining: (n: number, createdAt: string) => `${codes(n)} left, created ${relativeTime(createdAt)}`,
    renew: 'Create new codes',
    renewDialog: 'Create new recovery codes?',
    renewText: 'Your current codes stop working.',
    dialog: 'Your recovery codes',
    storageHint:
      'Keep them as safe as your passport. They are shown only once; afterwards not even your PDA can read them.',
    copy: 'Copy codes',
    print: 'Print',
    printTitle: (name: string) => `Recovery codes for ${name}`,
    confirmSaved: 'I saved them',
    few: 'Create new codes soon.',
  },
  always: {
    label: 'Ask on the computer that runs your PDA too',
    hint: 'A person at that computer who knows your password then also needs the second factor. If you lose all second factors, use the command line to get in.',
    onDialog: 'Ask on the computer that runs your PDA too?',
    onText: 'Signing in and changing these settings will require the second factor there too.',
    offDialog: 'Ask only from outside?',
    offText: 'On the computer that runs your PDA, your password will be enough.',
  },
  turnOff: {
    action: 'Turn off',
    dialog: 'Turn off the second factor?',
    text: 'Your app, all passkeys and all recovery codes stop working. Your password alone is then enough to sign in from outside.',
    done: 'Second factor turned off',
  },
  removing: {
    app: 'Remove the authenticator app?',
    passkey: (name: string) => `Remove the passkey ${name}?`,
    text: 'You can no longer sign in with it.',
    last: 'It is your last app or passkey. Removing it turns off the second factor, and the recovery codes stop working.',
    done: 'Removed',
  },
  sessions: (n: number) =>
    `${count(n, 'other browser or program stays', 'other browsers and programs stay')} signed in. You can sign ${n === 1 ? 'it' : 'them'} out below.`,
  proof: {
    code: 'Code from your app, or a recovery code',
    codeMissing: 'Enter a code or use a passkey.',
    passkey: 'Use a passkey instead',
    wrong: 'Wrong password or second factor. Each code works once: wait for the next one.',
    wrongHere: 'Wrong password.',
    notAnswered: 'No passkey responded.',
  },
  step: {
    text: 'Your password alone is not enough here.',
    code: 'Code from your authenticator app, or a recovery code',
    codeOnly: 'Recovery code',
    passkey: 'Use a passkey',
    or: 'or',
    back: 'Back to password',
    missing: 'Enter a code.',
    wrong:
      'Wrong password or second factor. For your security, this page does not say which. Each code works once: wait for the next one, or go back and enter the password again.',
    notAnswered: 'No passkey responded. You cancelled, it took too long, or this device has none.',
    lost: 'Lost all of them? You can regain access on the computer that runs your PDA.',
  },
  home: {
    recovery: (left: number) => `A recovery code was used; ${number(left)} left`,
    recoveryText: (time: string) =>
      `It was used ${relativeTime(time)} to sign in or to confirm a change. If that was not you, change your password now.`,
    few: (left: number) =>
      left === 0 ? 'No recovery codes left' : `Only ${count(left, 'recovery code', 'recovery codes')} left`,
    fewText: 'Create new ones while you are signed in.',
    wrong: (n: number) =>
      `Your password was entered ${n === 1 ? 'once' : `${number(n)} times`} with a wrong second factor`,
    wrongText: (time: string) =>
      `Most recently ${relativeTime(time)}. If that was not you, change your password: another person knows it.`,
  },
  acknowledge: 'That was me',
  acknowledgeAll: 'All of that was me',
} as const;
