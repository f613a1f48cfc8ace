/** The value of a variable of the styles, for canvases. */
export const styleOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
