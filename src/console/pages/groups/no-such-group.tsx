import type { Schemas } from "../../api/client.ts";
import { Panel } from "../../layout/page-head.tsx";
import { href } from "../../state/address.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/states.tsx";
import { DescribeGroup } from "./group-code.tsx";

type GroupType = Schemas["GroupType"];

/** The type of groups that an address names, by its number or its name. */
export const typeNamed = (types: readonly GroupType[], named: string): GroupType | undefined =>
  types.find((one) => String(one.group_type_index) === named || one.group_type === named);

/** An address without a known type or without a key. Lists the types of the project. */
export function NoSuchGroup(props: {
  types: readonly GroupType[];
  type?: GroupType | undefined;
  named: string;
}) {
  const { types, type, named } = props;
  if (types.length === 0) {
    return (
      <Panel>
        <DescribeGroup title="No event belongs to a group yet" />
      </Panel>
    );
  }
  const title = type
    ? "This address has no group key"
    : `This project has no group type “${named}”`;
  return (
    <Empty icon="groups" title={title}>
      <p>Choose a group from a list, or check the address.</p>
      <div class="cluster">
        {types.map(({ group_type_index, group_type }) => (
          <ButtonLink
            key={group_type_index}
            href={href("groups", { type: String(group_type_index) })}
          >
            All groups of the type {group_type}
          </ButtonLink>
        ))}
      </div>
    </Empty>
  );
}
