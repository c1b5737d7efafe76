"""The command line `tito`: one file a command family, `__main__` puts them together."""
