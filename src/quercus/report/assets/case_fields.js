// The fields of the form: one per attribute that the model asks for; empty means unknown.

class CaseField {
  constructor(attribute, position, changed) {
    this.attribute = attribute;
    this.position = position;
    const id = `case-${position}`;
    this.input = attribute.values ? this.chooser(id) : this.entry(id);
    this.problem = element("p", { class: "problem", id: `${id}-problem`, hidden: true });
    this.input.addEventListener("input", changed);
    this.input.addEventListener("change", changed);
    const cost = attribute.cost ? ` (costs ${shortNumber(attribute.cost)})` : "";
    this.made = element("div", { class: "field" }, element("label", { for: id }, attribute.name + cost), this.input, this.problem);
  }

  chooser(id) {
    const options = [element("option", { value: "" }, "unknown")];
    this.attribute.values.forEach((value, code) => options.push(element("option", { value: code }, value)));
    if (this.attribute.more) options.push(element("option", { disabled: true }, `and ${grouped(this.attribute.more)} more that are not listed here`));
    return element("select", { id }, options);
  }

  entry(id) {
    const formats = { local: "2024-05-31 or 2024-05-31 12:30:00", utc: "2024-05-31 12:30:00 (UTC)", time: "12:30:00", duration: "3 days 12:30:00" };
    const placeholder = this.attribute.kind === "date" ? formats[this.attribute.date_type] : "unknown";
    const mode = this.attribute.kind === "date" ? "text" : "decimal";
    return element("input", { id, type: "text", inputmode: mode, placeholder, "aria-describedby": `${id}-problem`, autocomplete: "off" });
  }

  // The encoded value; null: unknown. A text that is no value counts as unknown, and the field says so.
  value() {
    const text = this.input.value.trim();
    if (text === "") return this.fine(null);
    if (this.attribute.values) return this.fine(Number(text));
    const value = this.attribute.kind === "date" ? microseconds(text, this.attribute.date_type) : plainNumber(text);
    if (!Number.isNaN(value)) return this.fine(value);
    this.input.setAttribute("aria-invalid", "true");
    const wanted = this.attribute.kind === "date" ? this.input.placeholder : "a number such as 12.5";
    this.problem.textContent = `Taken as unknown; needed: ${wanted}`;
    this.problem.hidden = false;
    return null;
  }

  fine(value) {
    this.input.removeAttribute("aria-invalid");
    this.problem.hidden = true;
    return value;
  }

  clear() {
    this.input.value = "";
  }
}

function plainNumber(text) {
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : /^[-+]?inf(inity)?$/i.test(text) ? (text[0] === "-" ? -Infinity : Infinity) : NaN;
}

// Dates and times as the tree compares them: microseconds since 1970, of the day, or of a duration.
function microseconds(text, type) {
  const clock = "(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d{1,6}))?)?";
  const ofClock = (parts) => {
    if (parts[0] === undefined) return 0;
    const [hours, minutes, seconds] = [parts[0], parts[1], parts[2] || 0].map(Number);
    return ((hours * 60 + minutes) * 60 + seconds) * 1e6 + Number((parts[3] || "").padEnd(6, "0"));
  };
  if (type === "time") {
    const found = new RegExp(`^${clock}$`).exec(text);
    return found ? ofClock(found.slice(1)) : NaN;
  }
  if (type === "duration") {
    const found = new RegExp(`^(?:(-?\\d+)\\s*days?)?\\s*(?:${clock})?$`).exec(text);
    return found && text ? Number(found[1] || 0) * 86400e6 + ofClock(found.slice(2)) : NaN;
  }
  const found = new RegExp(`^(-?\\d{1,6})-(\\d{1,2})-(\\d{1,2})(?:[ T]${clock})?\\s*(?:Z|UTC)?$`).exec(text);
  if (!found) return NaN;
  const day = new Date(0);
  day.setUTCFullYear(Number(found[1]), Number(found[2]) - 1, Number(found[3]));
  if (day.getUTCMonth() !== Number(found[2]) - 1 || day.getUTCDate() !== Number(found[3])) return NaN;
  return day.getTime() * 1000 + ofClock(found.slice(4));
}
