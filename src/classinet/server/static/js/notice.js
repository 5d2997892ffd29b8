/** What went wrong, told where it happened. */

import { h } from "./dom.js";

/**
 * A box with the words of a problem.
 *
 * @param {Error & {title?: string, errors?: {where: string, what: string}[], instance?: string}} error
 */
export function notice(error) {
  const details = error.errors ?? [];
  const title = error.title && error.title !== error.message && [h("strong", {}, error.title), " "];
  return h(
    "div",
    { class: "notice", role: "alert" },
    h("p", {}, title, error.message),
    details.length > 1 && h("ul", {}, details.map(({ where, what }) => h("li", {}, `${where}: ${what}`))),
    error.instance && h("p", { class: "help" }, `Request ${error.instance}`),
  );
}
