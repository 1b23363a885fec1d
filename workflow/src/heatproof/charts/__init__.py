"""Parts of charts that every kind of figure is drawn with."""
