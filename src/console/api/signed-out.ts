import { signal } from "@preact/signals";

/** Whether the server has refused the session. The sign-in dialog is open while it is true. */
export const isSignedOut = signal(false);
