// Words: numbers as a student writes them, shares in percent, text cut to a width.

function shortNumber(number) {
  const size = Math.abs(number);
  if (size > 0 && (size < 0.01 || size >= 1e15)) return Number(number.toPrecision(3)).toString();
  return grouped(Number(number.toFixed(2)));
}

function significant(number, digits = 4) {
  if (number === null || number === undefined || !Number.isFinite(number)) return "–";
  const whole = Math.abs(number) >= 1 ? Math.floor(Math.log10(Math.abs(number))) + 1 : 0;
  return whole > digits ? grouped(Math.round(number)) : grouped(Number(number.toPrecision(digits)));
}

// Thousands apart, decimals as they are.
function grouped(number) {
  const [whole, decimals] = String(number).split(".");
  if (whole.includes("e") || whole.length < 4) return String(number);
  const parted = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return decimals === undefined ? parted : `${parted}.${decimals}`;
}

function percent(share, digits = 1) {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share < 1 && share > 0.9995) return "> 99.9 %";
  return `${Number((100 * share).toFixed(digits))} %`;
}

function counted(number, one, many) {
  return `${grouped(number)} ${number === 1 ? one : many || one + "s"}`;
}

const pencil = document.createElement("canvas").getContext("2d");
const widths = new Map();

function textWidth(text, font) {
  const key = font + "\n" + text;
  if (!widths.has(key)) {
    if (widths.size > 20000) widths.clear();
    if (pencil) pencil.font = font;
    widths.set(key, pencil ? pencil.measureText(text).width : 7 * text.length);
  }
  return widths.get(key);
}

// The text, or its beginning with an ellipsis if it is wider than that.
function fitted(text, width, font) {
  if (textWidth(text, font) <= width) return text;
  let low = 0;
  let high = Math.min(text.length, 200);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(text.slice(0, middle) + "…", font) <= width) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low) + "…";
}

const FACE = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif";
const BOLD = `600 13px ${FACE}`;
const DETAIL = `11.5px ${FACE}`;
const BRANCH = `12px ${FACE}`;
