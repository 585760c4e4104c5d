/** True if a template supports dark pages. Other templates keep a white background. */
export const followsTheme = (template: string) => /color-scheme|data-theme/.test(template)
