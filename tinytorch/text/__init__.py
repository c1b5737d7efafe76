"""The course page's spelling of the layers."""
