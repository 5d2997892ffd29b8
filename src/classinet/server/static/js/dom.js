/**
 * Elements, made safely and in few words.
 *
 * Everything that comes from the server or from a person becomes a text node or an attribute value: markup is never
 * parsed. Sizes of bars are custom properties set through the CSSOM, which a content security policy without inline
 * styles allows.
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */

/**
 * Make an HTML element.
 *
 * @param {string} tag
 * @param {{on?: Record<string, (event: any) => void>, vars?: Record<string, string | number>, [name: string]: any}}
 *   [props] attributes; `on` holds listeners, `vars` custom properties. What is null, undefined or false is left out.
 * @param {...Child} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  return dress(document.createElement(tag), props, children);
}

/** Make an SVG element; the parameters are those of `h`. */
export function svg(tag, props = {}, ...children) {
  return dress(document.createElementNS(SVG, tag), props, children);
}

function dress(element, { on = {}, vars = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  for (const [name, value] of Object.entries(vars)) element.style.setProperty(name, String(value));
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/** Find an element that the page is known to hold. */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page holds no element with the id ${id}`);
  return element;
}

/**
 * Replace what an element holds and keep the keyboard where it was.
 *
 * A control inside keeps the focus if one with the same `data-key` is there afterwards; otherwise the element itself
 * takes it, so that nobody is thrown back to the top of the page.
 */
export function fill(element, ...children) {
  const active = document.activeElement;
  const held = active !== null && active !== element && element.contains(active);
  const key = held ? active.getAttribute("data-key") : null;
  element.replaceChildren(...nodes(children));
  if (!held) return;
  const heir = key === null ? null : [...element.querySelectorAll("[data-key]")].find((e) => e.dataset.key === key);
  if (!heir) element.tabIndex = -1;
  (heir ?? element).focus({ preventScroll: true });
}

/** Return a function that calls `action` once its own calls have paused for so many milliseconds. */
export function debounce(action, milliseconds) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}
