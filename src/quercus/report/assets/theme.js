// Light and dark: as the system says, until the button says otherwise.

function startTheme() {
  const switchButton = byId("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const apply = () => {
    const dark = chosen === null ? system.matches : chosen;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    switchButton.textContent = dark ? "Light" : "Dark";
    switchButton.setAttribute("aria-label", dark ? "Light colours" : "Dark colours");
    switchButton.removeAttribute("aria-pressed");
  };
  switchButton.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme !== "dark";
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
