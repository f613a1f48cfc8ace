import { may } from "../../api/session.ts";
import { href } from "../../state/address.ts";
import { Icon } from "../icon.tsx";
import { hueOf, initialsOf, isAnonymous, shownName } from "./name.ts";

/** A round picture of a person: its initials on a ground whose colour comes from its id. */
export function Avatar({ id, name }: { id: string; name: string }) {
  const initials = isAnonymous(name) ? "" : initialsOf(name);
  return (
    <span
      class="avatar"
      style={{ "--hue": hueOf(id) }}
      // The styles write them: they are no part of the name, also where it is copied.
      data-initials={initials}
      aria-hidden="true"
    >
      {initials === "" && <Icon name="persons" />}
    </span>
  );
}

/** A person in a list: picture and name, on one line. Leads to the person's page. */
export function PersonCell(props: {
  /** The uuid or the integer id of the person; empty without a person. */
  id: string;
  /** Gives the colour, where the id is an integer. */
  uuid?: string;
  /** A name, or a distinct id of a person without one. */
  name: string;
  /** The person is what the row is about: `j` and `k` stop at it. */
  isRow?: boolean;
}) {
  const { id, name, isRow } = props;
  const inside = (
    <>
      <Avatar id={props.uuid ?? id} name={name} />
      <bdi class={isAnonymous(name) ? "faint" : undefined}>{shownName(name)}</bdi>
    </>
  );
  if (id === "" || !may("person:read")) {
    return (
      <span class="person" title={name}>
        {inside}
      </span>
    );
  }
  return (
    <a class="person" href={href(`persons/${id}`)} title={name} data-row={isRow || undefined}>
      {inside}
    </a>
  );
}
