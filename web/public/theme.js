// Runs before the first paint, so that a chosen theme does not flash the other one.
// It is a file because the content security policy allows no inline script.
(function () {
  try {
    var theme = localStorage.getItem("dossier.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch (e) {
    // Storage is blocked: the system's theme applies.
  }
})();
