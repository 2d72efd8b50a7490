"use strict";
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = (value) => {
    // Pages opened from files may have no storage.
    try {
      if (value !== undefined) localStorage.setItem("lrbm-theme", value);
      return localStorage.getItem("lrbm-theme");
    } catch (_) {
      return null;
    }
  };
  const show = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  };
  show(kept());
  document.getElementById("theme").addEventListener("click", () => {
    const current = root.dataset.theme || (dark.matches ? "dark" : "light");
    const next = current === "dark" ? "light" : "dark";
    show(next);
    kept(next);
  });

  // Collapse the table of contents on small screens.
  const contents = document.getElementById("contents");
  if (matchMedia("(max-width: 60rem)").matches) contents.open = false;

  // Open the collapsed sections around a link target.
  const open = () => {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      // A malformed escape matches no id.
    }
    const target = id && document.getElementById(id);
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();

  // Empty cells sort last in both directions.
  const key = (row, column) => {
    const cell = row.cells[column];
    const text = (cell.dataset.sort ?? cell.textContent.trim()).replace("−", "-");
    if (text === "" || text === "–") return null;
    const number = Number(text.startsWith("p ") ? text.slice(4) : text);
    return Number.isNaN(number) ? text : number;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sort = (table, column, direction) => {
    for (const body of table.tBodies) {
      const rows = [...body.rows].map((row) => [key(row, column), row]);
      rows.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        return direction * compare(a, b);
      });
      body.append(...rows.map(([, row]) => row));
    }
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      heading.setAttribute("scope", "col");
      heading.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const descending = heading.getAttribute("aria-sort") === "none"
          ? heading.classList.contains("number")
          : heading.getAttribute("aria-sort") === "ascending";
        headings.forEach((other) => other.setAttribute("aria-sort", "none"));
        heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(table, column, descending ? -1 : 1);
      });
    });
  }

  // Keep the first columns, which name a row, in view while a wide table scrolls.
  const fix = (scroll) => {
    const table = scroll.querySelector("table");
    if (!table?.tHead) return;
    for (const cell of table.querySelectorAll(".fixed")) cell.classList.remove("fixed", "fixed-last");
    const headings = [...table.tHead.rows[0].cells];
    const isNumber = (heading) => heading.classList.contains("number");
    // Leading numbers name a row as well.
    const first = headings.findIndex((heading) => !isNumber(heading));
    const names = headings.findIndex((heading, column) => column > first && isNumber(heading));
    if (table.offsetWidth <= scroll.clientWidth) return;
    let [left, last] = [0, -1];
    for (let column = 0; column < names; column++) {
      const width = headings[column].getBoundingClientRect().width;
      // The other half is for the numbers.
      if (left + width > scroll.clientWidth / 2) break;
      for (const row of table.rows) {
        row.cells[column].classList.add("fixed");
        row.cells[column].style.left = `${left}px`;
      }
      left += width;
      last = column;
    }
    if (last >= 0) for (const row of table.rows) row.cells[last].classList.add("fixed-last");
  };
  const resized = new ResizeObserver((entries) => entries.forEach((entry) => fix(entry.target)));
  for (const scroll of document.querySelectorAll(".scroll")) {
    fix(scroll);
    resized.observe(scroll);
  }
})();
