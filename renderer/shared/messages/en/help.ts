/** Links to the guide. */
export const help = {
  help: 'Help',
  label: 'Help for this page, opens in a new window',
  failed: 'The guide could not be opened',
  signIn: 'Help with signing in',
} as const;
