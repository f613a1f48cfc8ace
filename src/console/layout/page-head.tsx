import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { project } from "../state/project.ts";
import { Icon } from "../ui/icon.tsx";
import { Wrapping } from "../ui/wrapping.tsx";

/** The name of a page in tabs of the browser, its history and bookmarks, such as `Website · Shop · Hoglet`. */
function useTitle(...names: (string | undefined)[]): void {
  const title = [...names, project.value?.name, "Hoglet"].filter(Boolean).join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** The head of a page: where it lies, its name, and on the right what can be done with all of it. */
export function PageHead(props: {
  title: string;
  /** The part of the page that is open. */
  part?: string | undefined;
  /** The page above: its name and its address. */
  above?: { title: string; href: string };
  /** A line below the name. */
  lead?: ComponentChildren;
  children?: ComponentChildren;
}) {
  useTitle(props.part, props.title);
  return (
    <header class="page-head">
      <div class="page-title">
        {props.above && (
          <a class="above" href={props.above.href}>
            <Icon name="left" />
            {props.above.title}
          </a>
        )}
        <h1 tabIndex={-1}>
          <Wrapping text={props.title} />
        </h1>
        {props.lead && <p class="caption">{props.lead}</p>}
      </div>
      {props.children && <div class="cluster">{props.children}</div>}
    </header>
  );
}

/** A part of a page on a ground of its own, with a heading and tools. */
export function Panel(props: {
  title?: ComponentChildren;
  tools?: ComponentChildren;
  /** Leaves out the inner margin, for tables. */
  isFlush?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section class={props.isFlush ? "panel flush" : "panel"}>
      {(props.title || props.tools) && (
        <header class="panel-head">
          {props.title && <h2>{props.title}</h2>}
          <div class="cluster">{props.tools}</div>
        </header>
      )}
      {props.children}
    </section>
  );
}
