"""`tito bench` from a clone: python benchmarks/layers.py [--quick] [--out FOLDER]"""
import sys

from tinytorch.tito.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["bench", *sys.argv[1:]]))
