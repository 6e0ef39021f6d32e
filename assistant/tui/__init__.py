"""The conversation on the full screen: Textual screens and widgets that draw it and decide nothing."""
