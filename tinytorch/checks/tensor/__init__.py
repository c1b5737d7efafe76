"""Checks of the Tensor that lesson 11 stands on. They run on the installed package; nobody writes it."""
