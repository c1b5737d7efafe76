"""Checks of the tokenizers that lesson 11 stands on. They run on the package; nobody writes them."""
