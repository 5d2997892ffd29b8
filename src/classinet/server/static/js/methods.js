/** The rules of expansion that a server may offer, and which of the controls each of them has. */

export const METHODS = {
  global: { title: "Global", controls: ["damping", "hops"] },
  spectral: { title: "Spectral", controls: [] },
  "all-neighbors": { title: "All neighbours", controls: ["k"] },
  "mutual-neighbors": { title: "Mutual neighbours", controls: ["k"] },
  independent: { title: "Independent predictors", controls: [] },
  "local-path": { title: "Local paths", controls: [] },
};

/** The name of a method for people; one that this page does not know keeps its own. */
export function methodTitle(method) {
  return METHODS[method]?.title ?? method;
}

/** The controls of a method. */
export function controlsOf(method) {
  return METHODS[method]?.controls ?? [];
}

/** A setting in words, such as "Global, damping 0.85, 1 hop". */
export function settingText({ method, parameters = {} }) {
  const { damping, hops, k } = parameters;
  const has = (name, value) => controlsOf(method).includes(name) && value !== undefined;
  const parts = [methodTitle(method)];
  if (has("damping", damping)) parts.push(`damping ${damping}`);
  if (has("hops", hops)) parts.push(hops === null ? "hops without end" : `${hops} ${hops === 1 ? "hop" : "hops"}`);
  if (has("k", k)) parts.push(`k ${k}`);
  return parts.join(", ");
}
