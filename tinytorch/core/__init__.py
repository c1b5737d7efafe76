"""Generated from modules/ by nbdev-export: edit the notebooks, then `make export`."""
