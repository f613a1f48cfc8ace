import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { asProblem, type Problem } from "../api/problem.ts";
import { session, signIn } from "../api/session.ts";
import { isSignedOut, waitingStep } from "../api/signed-out.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Mark } from "./mark.tsx";

/** Why the last attempt to sign in failed. */
export const signInProblem = signal<Problem | undefined>(undefined);

/** A refusal in the words of this form. */
function explained({ status, code, message }: Problem): string {
  if (code === "authentication_failed")
    return "This key or link is not valid. A link works once, for 30 minutes.";
  if (status === 429) return "Too many attempts. Wait a minute, then try again.";
  return message;
}

function SignInForm() {
  const [key, setKey] = useState("");
  const [isSending, setSending] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    signInProblem.value = undefined;
    try {
      await signIn({ key: key.trim() });
    } catch (error) {
      signInProblem.value = asProblem(error);
    }
    setSending(false);
  };
  const problem = signInProblem.value;
  return (
    <form class="stack" onSubmit={submit}>
      <Field
        label="Personal API key"
        type="password"
        name="key"
        required
        autofocus
        autocomplete="current-password"
        placeholder="phx_…"
        value={key}
        onInput={setKey}
        problem={problem && explained(problem)}
      />
      <Button kind="primary" submit disabled={isSending}>
        Sign in
      </Button>
      <p class="caption">
        Without a key, run <code>hoglet console</code> on the server: it prints a link that signs
        you in.
      </p>
    </form>
  );
}

/** The page for visitors without a session. It is empty until the server has answered. */
export function SignInPage() {
  if (session.value === undefined && signInProblem.value === undefined) return null;
  return (
    <main class="alone">
      <div class="sign-in">
        <Mark />
        <h1 tabIndex={-1}>Sign in to Hoglet</h1>
        <SignInForm />
      </div>
    </main>
  );
}

/** The dialog over a page whose session has ended, or began too long ago for a step. The page keeps its content. */
export function SignInDialog() {
  const step = waitingStep.value;
  if (step !== undefined && !isSignedOut.value) {
    return (
      <Dialog title="Sign in again" onClose={step.giveUp}>
        <p>
          You can create and change keys for an hour after signing in. Sign in again to continue.
        </p>
        <SignInForm />
      </Dialog>
    );
  }
  if (!isSignedOut.value) return null;
  return (
    <Dialog title="Your session has ended">
      <SignInForm />
    </Dialog>
  );
}
