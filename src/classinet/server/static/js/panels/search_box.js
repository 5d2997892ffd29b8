/**
 * Find a word of the net: an editable combobox with a list of completions.
 *
 * The keyboard follows the pattern of the ARIA practices: arrows move through the list while the focus stays in the
 * field, Enter takes the marked word or else the typed one, Escape closes the list and then empties the field.
 */

import { byId, debounce, fill, h } from "../dom.js";
import { count, percent } from "../format.js";
import { Latest } from "../latest.js";

const PAUSE = 120;
const SHOWN = 8;

/** @param {import("../main.js").Context} context */
export function searchBox({ api, openWord, announce }) {
  const latest = new Latest();
  let found = [];
  let marked = -1;

  const list = h("ul", { id: "completions", class: "completions", role: "listbox", "aria-label": "Words" });
  list.hidden = true;
  const input = h("input", {
    id: "search-input", type: "text", role: "combobox", placeholder: "Find a word",
    autocomplete: "off", spellcheck: "false",
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "completions",
  });

  function mark(index) {
    marked = index;
    [...list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
    if (index < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", `completion-${index}`);
      list.children[index].scrollIntoView({ block: "nearest" });
    }
  }

  function show(open) {
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
    if (!open) mark(-1);
  }

  function take(word) {
    latest.cancel();
    look.cancel();
    input.value = "";
    show(false);
    openWord(word);
  }

  function option({ name, frequency }, at) {
    // A press must not take the focus from the field: its loss closes the list.
    const on = { mousedown: (event) => event.preventDefault(), click: () => take(name) };
    return h("li", { id: `completion-${at}`, role: "option", "aria-selected": "false", on },
      h("span", {}, name),
      h("span", { class: "help" }, percent(frequency)));
  }

  const look = debounce(async () => {
    const prefix = input.value.trim().toWellFormed();
    if (prefix === "") return show(false);
    const answer = await latest.run((signal) => api.get("v1/features", { prefix, limit: SHOWN }, signal));
    if (!answer) return;
    found = answer.value?.features ?? [];
    fill(list, found.map(option));
    show(found.length > 0 && document.activeElement === input);
    announce(answer.error?.message ?? (found.length ? count(found.length, "completion") : "No word begins like this."));
  }, PAUSE);

  const KEYS = {
    ArrowDown: () => (list.hidden ? look() : mark((marked + 1) % found.length)),
    ArrowUp: () => !list.hidden && mark(marked <= 0 ? found.length - 1 : marked - 1),
    Enter: () => (marked >= 0 ? take(found[marked].name) : input.value.trim() && take(input.value.trim())),
    Escape: () => (list.hidden ? (input.value = "") : show(false)),
  };
  input.addEventListener("keydown", (event) => {
    const action = KEYS[event.key];
    if (!action || event.isComposing) return;
    event.preventDefault();
    action();
  });
  input.addEventListener("input", look);
  input.addEventListener("blur", () => {
    latest.cancel();
    show(false);
  });

  fill(byId("search"), h("label", { for: "search-input", class: "unseen" }, "Find a word of the net"), input, list);
}
