/**
 * The one place where the view of the page changes, in step with the address and its history.
 *
 * Panels ask for a change with `update` and hear of changes through `watch`, whoever made them: a control, a link, or
 * the back button.
 */

import { formatView, parseView } from "./view.js";

/** Changes of one kind that follow each other within this time, in milliseconds, share one step of the history. */
const ONE_STEP = 2000;

export class Store {
  /** @type {import("./view.js").View} */
  view = parseView(location.hash);
  #watchers = [];
  #last = { kind: "", at: -Infinity };

  constructor() {
    addEventListener("popstate", () => {
      this.#last = { kind: "", at: -Infinity };
      this.#show(parseView(location.hash));
    });
  }

  /**
   * Call back whenever one of these parts of the view has changed.
   *
   * @param {string[]} names
   * @param {(view: import("./view.js").View) => void} callback
   */
  watch(names, callback) {
    this.#watchers.push({ names, callback });
  }

  /**
   * Change the view.
   *
   * @param {Partial<import("./view.js").View>} changes
   * @param {string} [kind] a name for changes that come in bursts, such as typing; a burst is one step back.
   */
  update(changes, kind = "") {
    const view = { ...this.view, ...changes };
    const address = formatView(view);
    if (address === formatView(this.view)) return;
    const now = performance.now();
    const joins = kind !== "" && kind === this.#last.kind && now - this.#last.at < ONE_STEP;
    this.#last = { kind, at: now };
    history[joins ? "replaceState" : "pushState"](null, "", address);
    this.#show(view);
  }

  #show(view) {
    const before = this.view;
    this.view = view;
    const changed = Object.keys(view).filter((name) => JSON.stringify(view[name]) !== JSON.stringify(before[name]));
    for (const { names, callback } of this.#watchers) {
      if (names.some((name) => changed.includes(name))) callback(view);
    }
  }
}
