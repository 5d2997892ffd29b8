/**
 * The token of a server that asks for one: kept for this tab only, in the session storage.
 */

import { byId, h } from "./dom.js";

const KEY = "classinet.token";

/** The token that was given in this tab, or "". */
export function token() {
  return sessionStorage.getItem(KEY) ?? "";
}

/**
 * Ask for a token.
 *
 * @param {boolean} refused whether one was sent and not accepted.
 * @returns {Promise<string>} the token, or "" where the person would rather not.
 */
export function askToken(refused) {
  return new Promise((resolve) => {
    const input = h("input", {
      id: "token", type: "password", autocomplete: "off", required: true, "aria-describedby": "token-help",
    });
    const close = (value) => {
      sessionStorage.setItem(KEY, value);
      dialog.remove();
      resolve(value);
    };
    const submit = (event) => {
      event.preventDefault();
      close(input.value.trim());
    };
    const dialog = h(
      "dialog",
      { class: "dialog", "aria-labelledby": "token-title", on: { cancel: () => close("") } },
      h(
        "form",
        { on: { submit } },
        h("h2", { id: "token-title" }, "This server asks for a token"),
        h("p", { id: "token-help", class: "help" },
          refused ? "The token was not accepted. " : "", "It is kept in this tab only, until the tab is closed."),
        h("label", { for: "token" }, "Token"),
        input,
        h("div", { class: "row" },
          h("button", { type: "submit", class: "main" }, "Continue"),
          h("button", { type: "button", class: "quiet", on: { click: () => close("") } }, "Cancel")),
      ),
    );
    byId("dialogs").append(dialog);
    dialog.showModal();
    input.focus();
  });
}
