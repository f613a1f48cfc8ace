import { PageHead } from "../layout/page-head.tsx";
import { href } from "../state/address.ts";
import { CONSOLE } from "../state/base.ts";
import { project } from "../state/project.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Empty } from "../ui/states.tsx";

/** An address without a page, or of a project that the key may not see. */
export function NotFound() {
  const isKnown = project.value !== undefined;
  return (
    <>
      <PageHead title="Not found" />
      <Empty
        icon="search"
        title={
          isKnown
            ? "This page doesn't exist"
            : "This project doesn't exist, or your key may not see it"
        }
      >
        <ButtonLink href={isKnown ? href("") : `${CONSOLE}/`}>Back to home</ButtonLink>
      </Empty>
    </>
  );
}
