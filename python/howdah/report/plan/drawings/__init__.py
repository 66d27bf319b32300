"""Pictures of hosts and racks as SVG, in colours that follow the page."""
