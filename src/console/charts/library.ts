import drawing from "uplot";

/** The library that draws charts. It is a file of its own, because most pages come without a chart. */
export const uPlot = drawing;
