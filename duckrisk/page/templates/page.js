(() => {
  const root = document.documentElement, now = () => document.getElementById("live-now").dataset.busy;
  root.classList.add("scripted");
  let posting = null, next = null, timer = 0, posts = 0;
  const update = (text) => {
    const page = new DOMParser().parseFromString(text.replace(/<style[^]*?<\/style>/, ""), "text/html");
    const count = page.body.dataset.count, focused = document.activeElement;
    const list = () => [...document.querySelectorAll("button, a, summary")];
    const at = focused?.closest("[data-live]") ? list().indexOf(focused) : -1;
    for (const part of document.querySelectorAll("[data-live]")) {
      const other = page.getElementById(part.id);
      if (!other || other.innerHTML === part.innerHTML) continue;
      const open = [...part.querySelectorAll("details")].map((one) => one.open);
      part.innerHTML = other.innerHTML;
      part.dataset.busy = other.dataset.busy || "";
      part.querySelectorAll("details").forEach((one, index) => { one.open = Boolean(open[index]); });
    }
    if (at >= 0 && !document.contains(focused)) list()[at]?.focus();
    for (const field of document.querySelectorAll("input[name=seen]")) field.value = count;
    document.body.dataset.count = count;
    if (now()) wait();
  };
  const wait = () => { clearTimeout(timer); timer = setTimeout(() => look(), 250); };
  const look = async (begun = posts) => {
    if (posting) return;
    try {
      const answer = await fetch("/", { credentials: "same-origin" });
      const text = await answer.text();
      const isFirst = !document.getElementById("sliders-h") && text.includes('id="sliders-h"');
      if (isFirst || !answer.ok) location.reload(); else if (!posting && begun === posts) update(text);
    } catch { root.classList.add("gone"); }
  };
  const post = async (form) => {
    if (posting) return void (next = form);
    clearTimeout(timer), posting = form, posts += 1;
    try {
      const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      if (!answer.ok) location.reload();
      else if (answer.url.includes("stale")) location.replace("/?stale"); else update(await answer.text());
    } catch { root.classList.add("gone"); }
    posting = null;
    if (next) post(next, next = null);
  };
  document.addEventListener("input", ({ target }) => {
    if (target.type !== "range") return;
    const name = target.list.options[target.value].label;
    target.setAttribute("aria-valuetext", name);
    target.form.querySelector("output").textContent = name;
    post(target.form);
  });
  document.addEventListener("change", ({ target }) => {
    if (target.type !== "range" && target.form?.matches("[data-auto]")) post(target.form);
  });
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-whole]")) return;
    event.preventDefault();
    post(event.target);
  });
  if (now()) wait();
})();
