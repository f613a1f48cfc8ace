import { useId, useState } from "preact/hooks";
import type { Query } from "../../../api/query.ts";
import { Add, Chip } from "../../../ui/pick/popover.tsx";
import { columnTitle } from "../query-facts.ts";
import { withPresent } from "../query-state.ts";
import { type Option, optionsOf, valueIn, withField, withOption } from "./options.ts";

type Props = { query: Query; onChange: (query: Query) => void };

/** Names of displays that only other clients choose. */
const OTHER_DISPLAYS: Record<string, string> = {
  ...{ ActionsPie: "Totals as a pie", ActionsAreaGraph: "Areas", WorldMap: "Map" },
  ...{ ActionsUnstackedBar: "Bars side by side", ActionsStackedBar: "Stacked bars" },
};

/** A field whose text or number counts once the field is left, or at Enter. */
export function Typed(props: {
  label: string;
  value: string;
  range?: readonly [min: number, max: number] | undefined;
  isRequired?: boolean;
  isBare?: boolean;
  onChange: (text: string) => void;
}) {
  const { label, value, range, isBare, onChange } = props;
  const id = useId();
  const [isWrong, setWrong] = useState(false);
  const change = (field: HTMLInputElement) => {
    setWrong(!field.checkValidity());
    if (field.checkValidity() && field.value !== value) onChange(field.value);
  };
  const [min, max] = range ?? [];
  return (
    <span class="pill">
      <label for={id} class={isBare ? "off-screen" : "caption"}>
        {label}
      </label>
      <input
        key={value}
        id={id}
        // The types of elements ask for one type; both take the same attributes.
        type={(range ? "number" : "text") as "number"}
        class={range && "short"}
        min={min}
        max={max}
        required={props.isRequired}
        aria-invalid={isWrong || undefined}
        title={range && `From ${min} to ${max}`}
        defaultValue={value}
        onChange={({ currentTarget }) => change(currentTarget)}
        onKeyDown={({ key, currentTarget }) => key === "Enter" && change(currentTarget)}
      />
    </span>
  );
}

/** A choice of one of a few values in the row. */
export function Chosen(props: {
  label: string;
  value: string;
  choices: readonly { value: string; label: string }[];
  isBare?: boolean;
  onChange: (value: string) => void;
}) {
  const { label, value, choices, isBare, onChange } = props;
  const id = useId();
  return (
    <span class="pill">
      <label for={id} class={isBare ? "off-screen" : "caption"}>
        {label}
      </label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
    </span>
  );
}

/** A value without a choice in words: a display or an order. */
function nameOf(value: string): string | undefined {
  const [, column, way] = /^(.*) (ASC|DESC)$/i.exec(value) ?? [];
  if (column === undefined) return OTHER_DISPLAYS[value];
  const isDown = way?.toUpperCase() === "DESC";
  const isTime = /timestamp|_at$/.test(column);
  const [first, last] = isTime ? ["latest", "earliest"] : ["greatest", "least"];
  return `${columnTitle(column)}, ${isDown ? first : last} first`;
}

function choicesOf({ choices }: Option, query: Query, value: string) {
  const all = typeof choices === "function" ? choices(query) : choices;
  return withPresent(all ?? [], value, nameOf(value));
}

function OptionField({ option, query, onChange }: Props & { option: Option }) {
  const { label, range, usual, row } = option;
  const value = valueIn(query, option);
  const change = (text: string) => onChange(withOption(query, option, text));
  const common = { label, value, isBare: row === "bare", onChange: change };
  if (option.choices) return <Chosen {...common} choices={choicesOf(option, query, value)} />;
  return <Typed {...common} range={range} isRequired={range !== undefined && usual !== ""} />;
}

/** The fields with one value: main ones stand in the row, others are chips once they are set. */
export function Options(props: Props) {
  const { query, onChange } = props;
  const options = optionsOf(query);
  const fields = (some: readonly Option[]) =>
    some.map((option) => <OptionField key={option.path} option={option} {...props} />);
  const others = options.filter(({ row }) => row === undefined);
  const set = others.filter((option) => valueIn(query, option) !== option.usual);
  return (
    <>
      {fields(options.filter(({ row }) => row !== undefined))}
      {set.map((option) => {
        const { label, path } = option;
        const value = valueIn(query, option);
        const name = choicesOf(option, query, value).find((one) => one.value === value)?.label;
        const remove = () => onChange(withField(query, path, undefined));
        return (
          <Chip key={path} label={label} text={`${label}: ${name ?? value}`} onRemove={remove}>
            {() => fields([option])}
          </Chip>
        );
      })}
      {others.length > 0 && (
        <Add label="Options" text="Options">
          {() => fields(others)}
        </Add>
      )}
    </>
  );
}
