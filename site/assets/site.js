"use strict";
// The filters of the matrix. Without scripts all rows are shown. What is chosen stands in the address, so
// that it can be passed on.
(() => {
  const form = document.getElementById("filters"), found = document.getElementById("found");
  const rows = [...document.querySelectorAll("#matrix tbody tr")], heads = [...document.querySelectorAll("#matrix thead th")];
  const inputs = Object.fromEntries(["name", "server", "fault", "state", "all"].map((k) => [k, document.getElementById("f-" + k)]));

  // shows says whether a row is one of those that are looked for; column is that of the fault, 0 for all.
  const shows = (row, column) => {
    const cells = [...row.cells].slice(1), state = inputs.state.value, run = cells.length === heads.length - 1;
    if (!run && !inputs.all.checked && state !== "untested") return false;
    if (!row.dataset.name.includes(inputs.name.value.trim().toLowerCase())) return false;
    if (inputs.server.value && row.dataset.server !== inputs.server.value) return false;
    const asked = column && run ? [cells[column - 1]] : cells;
    return !state || asked.some((c) => c.dataset.s.split(" ").includes(state));
  };

  const apply = () => {
    const column = Math.max(0, inputs.fault.selectedIndex); // -1: the address names a fault that there is not
    for (const line of [{ cells: heads }, ...rows.filter((r) => r.cells.length === heads.length)])
      [...line.cells].forEach((c, i) => { c.hidden = column > 0 && i > 0 && i !== column; });
    for (const r of rows) r.hidden = !shows(r, column);
    found.textContent = rows.filter((r) => !r.hidden).length + " of " + rows.length + " locks";
  };

  const remember = () => {
    const chosen = new URLSearchParams();
    for (const [k, i] of Object.entries(inputs)) {
      const v = i.type === "checkbox" ? (i.checked ? "1" : "") : i.value;
      if (v) chosen.set(k, v);
    }
    history.replaceState(null, "", chosen.size ? "#" + chosen : location.pathname);
  };

  for (const [k, v] of new URLSearchParams(location.hash.slice(1)))
    if (inputs[k]) inputs[k].type === "checkbox" ? (inputs[k].checked = true) : (inputs[k].value = v);
  form.hidden = false;
  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("submit", (e) => e.preventDefault());
  apply();
})();
