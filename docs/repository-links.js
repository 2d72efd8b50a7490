// Chapters link to files of the repository, such as ../../results/table2/README.md. mdBook rewrites every link that ends in .md to
// .html; outside the book there is no such page, so the original ending is restored.
for (const link of document.querySelectorAll('main a[href^="../../"]')) {
  link.setAttribute('href', link.getAttribute('href').replace(/\.html(#.*)?$/, '.md$1'));
}
