import { signal } from "@preact/signals";

/** Whether the server has refused the session. The sign-in dialog is open while it is true. */
export const isSignedOut = signal(false);

/** A step that waits for a new sign-in, because the last one is too long ago. The dialog is open while it is set. */
export const waitingStep = signal<{ go: () => void; giveUp: () => void } | undefined>(undefined);
