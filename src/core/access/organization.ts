/** The one organization. It stands for the server: tools come by an organization to its projects. */
export const ORGANIZATION = { id: "0c5f3f0e-8d52-4c0b-9a51-6b1de2a7c9f4", name: "Hoglet" };
