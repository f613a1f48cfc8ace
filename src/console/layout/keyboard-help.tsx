import { PAGES } from "../pages/index.ts";
import { singleKeys } from "../state/preferences.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Check } from "../ui/field.tsx";
import { CTRL } from "../ui/keys.ts";

const KEYS: readonly [keys: string, does: string][] = [
  [`${CTRL} K`, "Search, or ask a question"],
  ["/", "The same"],
  ["?", "This help"],
  ["j k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["Esc", "Close"],
  ["t y w m", "Today, yesterday, last 7 days, last 30 days"],
  ["[ ]", "Previous or next period"],
  ["x", "Compare with the period before"],
  [`${CTRL} Enter`, "Run"],
  [`${CTRL} S`, "Save"],
];

/** All keys, and the switch that turns single keys off. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const pages = PAGES.filter(({ key }) => key).map(
    ({ key, title }) => [`g ${key}`, title] as const,
  );
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} isWide>
      <dl class="keys">
        {[...pages, ...KEYS].map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Check
        label="Single-key shortcuts"
        checked={singleKeys.value}
        onChange={(on) => {
          singleKeys.value = on;
        }}
      />
    </Dialog>
  );
}
