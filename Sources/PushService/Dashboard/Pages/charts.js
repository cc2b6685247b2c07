// Charts as SVG, with their numbers as text beside them.
const space = "http://www.w3.org/2000/svg";

function shape(name, attributes, text) {
  const made = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// A part of a whole, from 0 to 1.
export function meter(part) {
  const width = Math.max(0, Math.min(1, part || 0)) * 98;
  const chart = shape("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", class: "meter", "aria-hidden": "true" });
  chart.append(
    shape("rect", { x: 1, y: 1, width: 98, height: 6, class: "rest", "vector-effect": "non-scaling-stroke" }),
    shape("rect", { x: 1, y: 1, width, height: 6, class: "part" }),
  );
  return chart;
}

// Bars of up to three series for each name, from the left.
export function bars(groups, description) {
  const [width, height, left, bottom] = [640, 180, 46, 160];
  const max = Math.max(1, ...groups.flatMap((group) => group.values));
  const chart = shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": description });
  for (const share of [0, 0.5, 1]) {
    const y = bottom - share * (bottom - 12);
    chart.append(
      shape("line", { x1: left, x2: width, y1: y, y2: y }),
      shape("text", { x: left - 4, y: y + 4, "text-anchor": "end" }, short(max * share)),
    );
  }
  const step = (width - left) / Math.max(1, groups.length);
  groups.forEach((group, index) => {
    const bar = (step * 0.8) / group.values.length;
    group.values.forEach((value, place) => {
      const tall = (value / max) * (bottom - 12);
      chart.append(shape("rect", {
        x: left + index * step + step * 0.1 + place * bar, y: bottom - tall, width: Math.max(1, bar - 1), height: tall,
        class: ["first", "second", "third"][place],
      }));
    });
    if (index % Math.ceil(groups.length / 10) === 0) {
      chart.append(shape("text", { x: left + (index + 0.5) * step, y: height - 4, "text-anchor": "middle" }, group.name));
    }
  });
  return chart;
}

function short(number) {
  if (number >= 1e6) return `${+(number / 1e6).toFixed(1)}M`;
  if (number >= 1e3) return `${+(number / 1e3).toFixed(1)}k`;
  return `${+number.toFixed(1)}`;
}
