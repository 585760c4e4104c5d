/** Whether a template has colours for dark pages; others keep the white paper they were written for. */
export const followsTheme = (template: string) => /color-scheme|data-theme/.test(template)
