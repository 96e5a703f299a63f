"""The site that ``make docs`` builds into site/, from the Markdown of the repository and the docstrings of unseen."""

project = "unseen"
author = "The unseen engineers"
copyright = "The unseen engineers, MIT licence"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton"]

# The repository is the source folder, so that a link works alike on GitHub, in an editor and on the site.
root_doc = "docs/index"
include_patterns = ["docs/**.md", "benchmarks/README.md", "experiments/README.md", "results/README.md", "*.md"]
exclude_patterns = ["README.md", ".venv", "site"]

myst_heading_anchors = 3  # the anchors that GitHub makes
copybutton_prompt_text = "$ "

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "unseen"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"]  # site/index.html, which leads to the landing page
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#4338ca", "color-brand-content": "#4338ca"},
    "dark_css_variables": {"color-brand-primary": "#a5b4fc", "color-brand-content": "#a5b4fc"},
}
