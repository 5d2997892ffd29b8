/** Numbers and labels as people read them. */

const MINUS = "\u2212";
const GAP = "\u00a0"; // does not break

/** A number with so many digits after the point, with a true minus sign. */
export function fixed(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** The same with its sign always shown. */
export function signed(value, digits = 2) {
  const text = fixed(value, digits);
  return text.startsWith(MINUS) ? text : `+${text}`;
}

/** A share as a percentage; small ones keep two significant digits. */
export function percent(share) {
  const value = 100 * share;
  const digits = value === 0 || value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2;
  return value > 0 && value < 0.005 ? `<${GAP}0.01${GAP}%` : `${value.toFixed(digits)}${GAP}%`;
}

/** A whole number in groups of three digits. */
export function whole(value) {
  return value.toLocaleString("en");
}

/** "1 word", "2 words". */
export function count(value, noun, plural = `${noun}s`) {
  return `${whole(value)} ${value === 1 ? noun : plural}`;
}

/** A label: one class, or a list of tags that may be empty. */
export function labelText(label) {
  if (!Array.isArray(label)) return String(label);
  return label.length ? label.map(String).join(", ") : "no tag";
}

/** Whether two labels are the same, tags in any order. */
export function sameLabel(one, other) {
  const key = (label) => JSON.stringify(Array.isArray(label) ? label.map(String).sort() : String(label));
  return key(one) === key(other);
}

/** An edge as words. */
export function arrow(source, target) {
  return `${source} → ${target}`;
}
