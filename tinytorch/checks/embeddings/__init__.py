"""The checks of lesson 11, a file an exercise. The exercises themselves stand in ../registry.py."""
