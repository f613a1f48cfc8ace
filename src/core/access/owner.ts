import type { UserReads, UserWrites } from "../ports/access.ts";
import { Failure } from "../values/failure.ts";
import { type Clock, isoTime } from "../values/time.ts";
import type { User } from "./key.ts";

/** The users, and the sources of new ones. */
export type OwnerNeeds = {
  users: UserReads & UserWrites;
  /** The e-mail address of the first user, from the settings. */
  ownerEmail: string;
  now: Clock;
  newUuid: () => string;
};

/** The owner of a key, with the e-mail address if the owner is a new user. */
type Owner = Pick<User, "id"> & { made_user?: string };

/** The user with this address, a new one if unknown; without an address the first user. */
export async function ownerOf(email: string | undefined, needs: OwnerNeeds): Promise<Owner> {
  if (email === undefined) return owner(needs);
  const known = await needs.users.byEmail(email);
  if (known !== undefined) return { id: known.id };
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw new Failure("invalid_input", "An e-mail address is expected.", "user");
  }
  const { id } = await newUser(email, needs);
  return { id, made_user: email };
}

/** The first user; makes it if the store has no user. */
export async function owner(needs: OwnerNeeds): Promise<Pick<User, "id">> {
  return (await needs.users.owner()) ?? newUser(needs.ownerEmail, needs);
}

/** Gives the first user the address of the settings; false if another user has it. */
export async function nameOwner(needs: OwnerNeeds): Promise<boolean> {
  const { users, ownerEmail: email } = needs;
  const [{ id }, holder] = [await owner(needs), await users.byEmail(email)];
  if (holder === undefined) await users.rename(id, email);
  return holder === undefined || holder.id === id;
}

function newUser(email: string, { users, now, newUuid }: OwnerNeeds): Promise<User> {
  const uuid = newUuid();
  return users.insert({
    uuid,
    distinct_id: uuid,
    first_name: "",
    last_name: "",
    email,
    is_email_verified: false,
    hedgehog_config: {},
    role_at_organization: "",
    created_at: isoTime(now()),
  });
}
