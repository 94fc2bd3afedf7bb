"""Pages: one self-contained HTML file each,
put together from the scripts and styles in `assets` and data as JSON."""
