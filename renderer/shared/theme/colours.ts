import type { CSSVariablesResolver, MantineColorsTuple } from '@mantine/core';

// Imports only types, because the guide, which is not part of the dashboard, uses these colours too.

export const gray: MantineColorsTuple = [
  '#fbfaf8',
  '#f4f2ee',
  '#ece9e3',
  '#e0dcd4',
  '#cbc5ba',
  '#a8a194',
  '#857e72',
  '#635d53',
  '#3f3b35',
  '#211f1b',
];

/** Warm greys of the dark scheme. Index 0 is the text, index 7 the background, as Mantine expects. */
export const dark: MantineColorsTuple = [
  '#ece9e3',
  '#cfcac1',
  '#aba498',
  '#7f786d',
  '#46423b',
  '#37342e',
  '#292622',
  '#181715',
  '#131210',
  '#0d0c0b',
];

/** Accent colour. */
export const teal: MantineColorsTuple = [
  '#e9f4f2',
  '#d0e7e3',
  '#a3d0ca',
  '#78bdb4',
  '#489f96',
  '#26877e',
  '#14716a',
  '#0f5d58',
  '#0c4b47',
  '#083734',
];

/** Colour of pending decisions. */
export const amber: MantineColorsTuple = [
  '#fbf3e2',
  '#f6e3bc',
  '#eecb85',
  '#e4b04f',
  '#d69a2d',
  '#b98116',
  '#966710',
  '#7a530c',
  '#5e400a',
  '#432d06',
];

/** Colour of errors and destructive actions. */
export const brick: MantineColorsTuple = [
  '#faede9',
  '#f3d5cd',
  '#e7afa2',
  '#e0998a',
  '#cb6a55',
  '#b8503b',
  '#a03f2c',
  '#8a3324',
  '#6b281c',
  '#4e1c13',
];

export const FONT_FAMILY =
  "system-ui, -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Noto Sans', Cantarell, Ubuntu, Helvetica, Arial, sans-serif";
export const MONOSPACE_FONT_FAMILY =
  "ui-monospace, 'SF Mono', SFMono-Regular, 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace";

/**
 * CSS variables named by meaning. `--choice-…`: colours that the owner can choose for sources, endpoints and fields.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--nav-width': '14rem',
    '--bar-height': '3.75rem',
  },
  light: {
    '--mantine-color-body': gray[0],
    '--mantine-color-text': gray[9],
    '--mantine-color-dimmed': gray[7],
    '--mantine-color-placeholder': '#716a5f',
    '--mantine-color-default-border': gray[4],
    '--mantine-color-anchor': teal[7],
    '--mantine-color-error': brick[7],
    '--background': gray[0],
    '--background-subtle': gray[1],
    '--surface': '#ffffff',
    '--hover': '#f1efea',
    '--selected': '#e3efec',
    '--hairline': gray[3],
    '--outline': '#8d8679',
    '--ink': gray[9],
    '--ink-soft': gray[7],
    '--accent': teal[7],
    '--accent-soft': teal[2],
    '--decision': amber[7],
    '--decision-background': amber[0],
    '--stop': brick[7],
    '--stop-background': brick[0],
    '--chart-in': '#2f8f86',
    '--chart-changed': '#c9a45c',
    '--chart-out': '#b8604d',
    '--chart-series-1': '#2f8f86',
    '--chart-series-2': '#c9a45c',
    '--chart-series-3': '#5b7fa6',
    '--chart-series-4': '#b8604d',
    '--chart-series-5': '#8a6f9e',
    '--chart-rest': '#a8a196',
    '--choice-grey': gray[7],
    '--choice-teal': '#1f7a71',
    '--choice-blue': '#2b67b1',
    '--choice-violet': '#6a4fb3',
    '--choice-grape': '#93408f',
    '--choice-orange': '#a8561c',
    '--choice-green': '#3c7a34',
    '--code-key': '#0f5d58',
    '--code-string': '#7a4a12',
    '--code-number': '#4b3f9c',
    '--code-literal': '#8a3324',
    '--mark': '#f6e3bc',
  },
  dark: {
    '--mantine-color-body': dark[7],
    '--mantine-color-text': dark[0],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': '#968f84',
    '--mantine-color-default': '#211f1c',
    '--mantine-color-default-hover': dark[6],
    '--mantine-color-default-border': dark[4],
    '--mantine-color-anchor': teal[3],
    '--mantine-color-error': brick[3],
    '--background': dark[7],
    '--background-subtle': dark[8],
    '--surface': '#1f1d1a',
    '--hover': '#24221e',
    '--selected': '#1c302d',
    '--hairline': '#302d28',
    '--outline': '#7f786d',
    '--ink': dark[0],
    '--ink-soft': dark[2],
    '--accent': teal[3],
    '--accent-soft': '#2a645e',
    '--decision': amber[3],
    '--decision-background': '#2b2314',
    '--stop': brick[3],
    '--stop-background': '#2e1c17',
    '--chart-in': '#4ea79d',
    '--chart-changed': '#b8924a',
    '--chart-out': '#c0705e',
    '--chart-series-1': '#4ea79d',
    '--chart-series-2': '#b8924a',
    '--chart-series-3': '#7b9cc0',
    '--chart-series-4': '#c0705e',
    '--chart-series-5': '#a78cbc',
    '--chart-rest': '#7d766a',
    '--choice-grey': dark[2],
    '--choice-teal': '#4ea79d',
    '--choice-blue': '#6ea8e8',
    '--choice-violet': '#a892e6',
    '--choice-grape': '#d389cf',
    '--choice-orange': '#dc9458',
    '--choice-green': '#79b570',
    '--code-key': '#8fcac2',
    '--code-string': '#deb887',
    '--code-number': '#b3a9f0',
    '--code-literal': '#e0998a',
    '--mark': '#5e400a',
  },
});
