// How a row of raw values becomes numbers and codes. null, undefined, NaN and the values that mean "missing" are unknown.

const TABLES = MODEL.attributes.map((one) => new Map(one.values.map((value, code) => [value, code])));
const MISSING = MODEL.attributes.map((one) => new Set(one.missing));

const NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i;

// A date in microseconds since 1970, a time of day or a duration in microseconds: that number, or of dates a Date.
function microsecondsOf(value, attribute) {
  const isMoment = attribute.date_type === "local" || attribute.date_type === "utc";
  if (isMoment && value instanceof Date && !Number.isNaN(value.getTime())) return value.getTime() * 1000;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const wanted = isMoment ? "a date: give a Date, or microseconds since 1970 as a number" : `a ${attribute.date_type}: give its microseconds as a number`;
  throw new TypeError(`${JSON.stringify(attribute.name)} is ${wanted}.`);
}

// A number; a text only if the model was fitted to texts of numbers.
function numberOf(value, attribute) {
  if (attribute.kind === "date") return microsecondsOf(value, attribute);
  const isText = typeof value === "string" && attribute.from_text && NUMBER.test(value);
  const number = isText || ["number", "boolean", "bigint"].includes(typeof value) ? Number(value) : NaN;
  if (!Number.isFinite(number)) throw new RangeError(`${JSON.stringify(attribute.name)} is ${String(value)}, which is no finite number; give null if it is not known.`);
  return number;
}

function truthOf(value, attribute) {
  const truth = typeof value === "string" ? { true: 1, false: 0 }[value.trim().toLowerCase()] : Number(value);
  if (truth !== 0 && truth !== 1) throw new RangeError(`${JSON.stringify(attribute.name)} is ${String(value)}; allowed are true, false and null for unknown.`);
  return truth;
}

function cellOf(value, place) {
  const attribute = MODEL.attributes[place];
  if (value === null || value === undefined || Number.isNaN(value) || MISSING[place].has(value)) return null;
  if (attribute.kind === "numeric" || attribute.kind === "date") return numberOf(value, attribute);
  if (attribute.kind === "boolean") return truthOf(value, attribute);
  const code = TABLES[place].get(value);
  return code === undefined ? null : code;
}

function encoded(row) {
  return MODEL.attributes.map((attribute, place) => {
    if (!Object.hasOwn(row, attribute.name)) throw new RangeError(`The row has no ${JSON.stringify(attribute.name)}; give null if its value is not known.`);
    return cellOf(row[attribute.name], place);
  });
}

// The shares of the classes, in the order of `classes`, for a row: an object of raw values by name (null: unknown).
export function predictProba(row) {
  if (!MODEL.classes) throw new TypeError("This model answers numbers; call predict.");
  return answerOf(MODEL, encoded(row))[0];
}

// The class, or the number, for a row.
export function predict(row) {
  const answer = answerOf(MODEL, encoded(row))[1];
  return MODEL.classes ? MODEL.classes[answer] : answer;
}

export const classes = MODEL.classes;
export const checksum = MODEL.checksum;
